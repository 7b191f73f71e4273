"""Unmodified inference of several nets. `torch_memory.py profile` prints what PyTorch's own profiler tells of memory, as JSON:

events  signed bytes of each block that was made or freed
layers  per model call its layers: name and bytes allocated in them
calls   per model call what was live at its end and at its peak, of what the profiler saw
"""
import json
import sys
import threading
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from resnet50_torch import ResNet50


class Inception(torch.nn.Module):
    """Branches that are joined, and blocks that outlive the call."""

    def __init__(self):
        super().__init__()
        self.wide = torch.nn.Conv2d(8, 24, 1)
        self.deep = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 1), torch.nn.ReLU(inplace=True),
                                        torch.nn.Conv2d(8, 16, 3, padding=1))
        self.pool = torch.nn.AvgPool2d(3, 1, 1)
        self.kept = []

    def forward(self, images):
        joined = torch.cat([self.wide(images), self.deep(images), self.pool(images)], 1)
        self.kept.append(joined)
        return joined


class Aside(torch.nn.Module):
    """Allocates 4 MB in a thread of its own, and 40 bytes in the caller's."""

    def forward(self, images):
        thread = threading.Thread(target=lambda: torch.empty(1 << 20))
        thread.start()
        thread.join()
        return torch.empty(10)


def legacy_events(run):
    """Before Kineto, and in builds without it: signed bytes in order."""
    from torch._C._profiler import ProfilerConfig, ProfilerState, _ExperimentalConfig
    config = ProfilerConfig(ProfilerState.CPU, False, True, False, False, False, _ExperimentalConfig())
    torch.autograd._enable_profiler_legacy(config)
    run()
    events = [event for thread in torch.autograd._disable_profiler_legacy() for event in thread]
    return [event.cpu_memory_usage() for event in events if event.kind() == "memory_alloc"]


def kineto_events(run):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        run()
    events = [event for event in profile.profiler.kineto_results.events() if event.name() == "[memory]"]
    events.sort(key=lambda event: event.start_ns() if hasattr(event, "start_ns") else event.start_us())
    return [event.nbytes() for event in events]


def mark_calls():
    """Before and behind each module call a block of an odd size, which no tensor of floats has: 4 i + 1 where call i
    begins, 4 i + 3 where it ends. Gives the calls: path, and whether it is a layer.
    """
    names, open_calls, calls = {}, [], []

    def begins(module, arguments):
        if not open_calls:
            names.update({part: path for path, part in module.named_modules()})
        open_calls.append(len(calls))
        calls.append((names[module], next(module.children(), None) is None))
        torch.empty(4 * open_calls[-1] + 1, dtype=torch.uint8)

    def ends(module, arguments, output):
        torch.empty(4 * open_calls.pop() + 3, dtype=torch.uint8)

    torch.nn.modules.module.register_module_forward_pre_hook(begins)
    torch.nn.modules.module.register_module_forward_hook(ends)
    return calls


def report(events, calls):
    told = {"events": events, "layers": [], "calls": []}
    open_calls = []
    live = peak = 0
    for size in events:
        if size % 2 == 0:
            live += size
            peak = max(peak, live)
            for call in open_calls:
                call[1] += max(size, 0)
        elif size > 0 and size % 4 == 1:
            if not open_calls:
                told["layers"].append([])
                peak = live
            open_calls.append([calls[size // 4][0], 0])
        elif size > 0:
            call = open_calls.pop()
            if calls[size // 4][1]:
                told["layers"][-1].append(call)
            if not open_calls:
                told["calls"].append([live, peak])
    return told


def evaluate():
    torch.manual_seed(0)
    resnet, inception = ResNet50().eval(), Inception().eval()
    with torch.no_grad():
        for i in range(3):
            resnet(torch.randn(1, 3, 64, 64))
            inception(torch.randn(2, 8, 16, 16))


torch.set_num_threads(1)
if sys.argv[1:] == ["profile"]:
    calls = mark_calls()
    events = (kineto_events if torch.profiler.kineto_available() else legacy_events)(evaluate)
    json.dump(report(events, calls), sys.stdout)
else:
    evaluate()
    with torch.no_grad():
        Aside()(torch.zeros(1))
