"""Kernels of torch.profiler's trace, by step, each with the module that launched it."""
import bisect
import gzip
import json
from collections import defaultdict
from dataclasses import dataclass, field

MODULE = "nn.Module: "


@dataclass
class Kernel:
    name: str
    begin_us: float
    duration_us: float
    launch_us: float = None  # begin of the call that launched it; None: that call is not in the trace
    thread: object = None  # of the launch
    module: str = None  # innermost module around the launch, as the profiler names it
    leaf: int = None  # its ordinal among the step's calls of modules that contain no module call; None: it is no leaf


@dataclass
class Step:
    name: str
    begin_us: float
    end_us: float
    kernels: list = field(default_factory=list)  # in order of their launch
    leaves: list = field(default_factory=list)  # names of its leaf module calls, in order of their begin

    def total_us(self):
        return sum(kernel.duration_us for kernel in self.kernels)


@dataclass
class ModuleCall:
    name: str
    begin: float
    end: float
    is_leaf: bool = True
    leaf: int = None


def load(path):
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    with (gzip.open(path, "rt", encoding="utf-8", errors="replace") if zipped
          else open(path, encoding="utf-8", errors="replace")) as file:
        data = json.load(file)
    return data if isinstance(data, list) else data["traceEvents"]


def finished(events, *categories):
    return [e for e in events if e.get("ph") == "X" and e.get("cat") in categories]


def kernels_of(events):
    """All kernels, with their launches, in order of launch."""
    launches = {}
    for event in finished(events, "cuda_runtime", "cuda_driver"):
        correlation = event.get("args", {}).get("correlation")
        if correlation is None:
            continue
        # A driver call inside a runtime call has the same id: the outer one is the launch.
        known = launches.get(correlation)
        if known is None or event["ts"] < known["ts"]:
            launches[correlation] = event
    kernels = []
    for event in finished(events, "kernel"):
        launch = launches.get(event.get("args", {}).get("correlation"))
        kernels.append(Kernel(event["name"], event["ts"], event["dur"], launch and launch["ts"], launch and launch["tid"]))
    kernels.sort(key=lambda k: (k.begin_us if k.launch_us is None else k.launch_us, k.begin_us))
    return kernels


def module_calls(events):
    """Thread -> its module calls in order of begin, outer ones first; leaves are marked."""
    threads = defaultdict(list)
    for event in finished(events, "python_function"):
        if event["name"].startswith(MODULE):
            threads[event["tid"]].append(ModuleCall(event["name"][len(MODULE):], event["ts"], event["ts"] + event["dur"]))
    for calls in threads.values():
        calls.sort(key=lambda call: (call.begin, -call.end))
        open_calls = []
        for call in calls:
            while open_calls and open_calls[-1].end <= call.begin:
                open_calls.pop()
            if open_calls:
                open_calls[-1].is_leaf = False
            open_calls.append(call)
    return threads


def innermost(calls, begins, at):
    """The innermost of `calls` around the time; of calls that nest, that is the last one that began before and lasts."""
    for i in range(bisect.bisect_right(begins, at) - 1, -1, -1):
        if calls[i].end > at:
            return calls[i]
    return None


def step_events(events, prefix):
    """Marks of steps on the host: the profiler repeats them on the device."""
    return sorted((e for e in finished(events, "user_annotation") if e["name"].startswith(prefix)), key=lambda e: e["ts"])


def read_steps(path, prefix="xsp step"):
    """The steps that `prefix` marks, with the kernels launched in them."""
    return steps_of(load(path), prefix)


def steps_of(events, prefix):
    modules = module_calls(events)
    steps = [Step(e["name"], e["ts"], e["ts"] + e["dur"]) for e in step_events(events, prefix)]
    for step in steps:
        for calls in modules.values():
            inside = [call for call in calls if step.begin_us <= call.begin < step.end_us and call.is_leaf]
            for i, call in enumerate(inside):
                call.leaf = len(step.leaves) + i
            step.leaves += [call.name for call in inside]
    begins = {thread: [call.begin for call in calls] for thread, calls in modules.items()}
    ends = [step.begin_us for step in steps]
    for kernel in kernels_of(events):
        if kernel.launch_us is None:
            continue
        i = bisect.bisect_right(ends, kernel.launch_us) - 1
        if i < 0 or kernel.launch_us >= steps[i].end_us:
            continue
        calls = modules.get(kernel.thread, [])
        call = innermost(calls, begins.get(kernel.thread, []), kernel.launch_us)
        if call is not None:
            kernel.module, kernel.leaf = call.name, call.leaf if call.is_leaf else None
        steps[i].kernels.append(kernel)
    return steps
