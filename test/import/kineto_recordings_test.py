"""Recordings of PyTorch's profiler become what is known of them: kineto_recordings_test.py XSP_IMPORT SOURCE_ROOT. And the rule
that gives kernels to operators, by time and thread alone, agrees with the profiler's own External id. Skipped where the
recordings are not at hand.
"""
import gzip
import json
import os
import sys
from collections import Counter
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../analysis/support"))
from imported_trace import *  # noqa: E402
from support.trace_messages import proto  # noqa: E402

IMPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:3]]
FOLDER = os.path.join(shared_data(ROOT), "kineto")
failures = []


def check(got, expected, what):
    if got != expected:
        failures.append(f"{what}\n  expected: {expected}\n  got:      {got}")


def ns(microseconds):
    return int(microseconds * 1000)


class Recording:
    def __init__(self, name):
        self.name = name
        path = os.path.join(FOLDER, name + ".json.gz")
        self.trace = import_profile(IMPORT, path)
        with gzip.open(path) as file:
            events = json.load(file, parse_float=Decimal)["traceEvents"]
        self.events = [event for event in events if event["ph"] == "X" and "dur" in event]

    def of(self, *categories):
        return [event for event in self.events if event.get("cat", "").lower() in categories]

    def check(self, got, expected, what):
        check(got, expected, f"{self.name}: {what}")


def check_contents(recording):
    """As many of everything, as long and as large, as the recording has."""
    trace = recording.trace
    for kind, categories in [(KERNEL, ("kernel",)), (MEMCPY, ("memcpy", "gpu_memcpy")), (MEMSET, ("memset", "gpu_memset")),
                             (SYNCHRONIZATION, ("cuda_sync",))]:  # fmt: skip
        no_stream = 0xFFFFFFFF
        theirs = Counter((ns(e["dur"]), e["args"]["stream"] % no_stream, e["args"].get("bytes", 0))
                         for e in recording.of(*categories))  # fmt: skip
        ours = Counter((e.duration, e.stream, e.bytes) for e in trace.executed(kind))
        recording.check(ours, theirs, categories[-1])
    for kinds, categories in [((RUNTIME_CALL,), ("runtime", "cuda_runtime")), ((DRIVER_CALL,), ("cuda_driver",)),
                              ((TORCH_MODULE, PYTHON_FUNCTION), ("python_function",)),
                              ((OPERATOR, ANNOTATION), ("operator", "cpu_op", "user_annotation"))]:  # fmt: skip
        theirs = Counter((e["name"].removeprefix("nn.Module: "), ns(e["dur"])) for e in recording.of(*categories))
        ours = Counter((s.name, s.duration) for s in trace.spans if s.kind in kinds)
        recording.check(ours, theirs, categories[-1])
    recording.check([e.name for e in trace.executions if e.kind == KERNEL and e.launch is None], [], "kernels without launch")


def check_attribution(recording):
    """Kernels belong to the innermost operator around their launch. External id names the operator, unless it repeats the
    correlation id, as some versions of the profiler write it: then it names nothing."""
    kernels = recording.of("kernel")
    external = lambda e: e["args"].get("External id", e["args"].get("external id"))
    if all(external(kernel) == kernel["args"]["correlation"] for kernel in kernels):
        return None
    names = {external(e): e["name"] for e in recording.of("operator", "cpu_op", "user_annotation")}
    ours = {}
    for kernel in recording.trace.kernels:
        operator = enclosing(kernel.launch, OPERATOR) or enclosing(kernel.launch, ANNOTATION)
        ours[kernel.correlation, kernel.duration] = operator and operator.name
    pairs = [(names[external(k)], ours[k["args"]["correlation"], ns(k["dur"])]) for k in kernels]
    agreed = sum(theirs == found for theirs, found in pairs)
    recording.check(agreed >= 0.995 * len(pairs), True, f"{agreed} of {len(pairs)} kernels have the operator of their External id")
    recording.check([pair for pair in pairs if pair[0] != pair[1]], [], "kernels with another operator (theirs, ours)")
    return len(pairs)


def launches(recording):
    return Counter(k.launch.name for k in recording.trace.kernels)


def intervals(executions):
    return [(e.begin, e.end) for e in executions]


def check_resnet(recording):
    trace = recording.trace
    recording.check(len(trace.kernels), 8772, "kernels")
    steps = [span for span in trace.spans if span.name.startswith("ProfilerStep#")]
    recording.check(len(steps), 6, "steps")
    for step in steps:
        # A backward pass runs on another thread: what is launched in the time of the step is of the step.
        own = [e for e in trace.executions if step.begin <= e.launch.begin < step.end]
        total = {kind: sum(e.duration for e in own if e.kind == kind) for kind in (KERNEL, MEMCPY, MEMSET)}
        recording.check(sum(e.kind == KERNEL for e in own), 1462, "kernels of " + step.name)
        if step.name != "ProfilerStep#5":
            continue
        recording.check(total, {KERNEL: 98_598_000, MEMCPY: 1_941_000, MEMSET: 90_000}, "times of step 5")
        calls = [s for s in trace.spans if s.level == "runtime" and step.begin <= s.begin < step.end]
        exposed = covered(intervals(calls) + intervals(own)) - covered(intervals(own))
        recording.check(exposed, 2_796_000, "calls of step 5 while the device does nothing")
    links = [(span.name, span.forward.name) for span in trace.spans if span.forward]
    recording.check(len(links), 1068, "backward operators with their forward operator")
    recording.check(Counter(links)["CudnnConvolutionBackward", "aten::cudnn_convolution"], 318, "gradients of convolutions")
    memory = max(trace.spans, key=lambda span: span.bytes)
    recording.check(memory.name.startswith("ProfilerStep#"), True, "a step allocates most")


def check_vit(recording):
    trace = recording.trace
    kernels = trace.kernels
    recording.check((len(kernels), sum(k.duration for k in kernels)), (154, 1_220_926), "kernels")
    # The sum of the decimals in the file is 1225.310.
    recording.check(covered(intervals(kernels + trace.executed(MEMSET))), 1_225_310, "busy")
    work = kernels + trace.executed(MEMSET)
    recording.check(max(e.end for e in work) - min(e.begin for e in work), 7_559_844, "from first to last")
    recording.check(launches(recording), {"cudaLaunchKernel": 81, "cudaLaunchKernelExC": 24, "cuLaunchKernel": 49}, "launches")
    modules = [span for span in trace.spans if span.kind == TORCH_MODULE]
    recording.check(len(modules), 214, "modules")
    recording.check(sum(m.type == "Linear" for m in modules), sum(m.name.startswith("Linear_") for m in modules), "types")
    allocated = {"ViTModel_0": sum(e.bytes for e in trace.spans if e.name == "ViTModel_0")}
    recording.check(allocated["ViTModel_0"] > 0, True, "memory of the model")


def check_removed(recording):
    """Operators are missing where their indices in the profiler's list have gaps, thread by thread. Of the recordings two are
    parts that somebody made of larger ones."""
    indices = {}
    for event in recording.of("cpu_op", "user_annotation"):
        if "Ev Idx" in event["args"]:
            indices.setdefault((event["pid"], event["tid"]), []).append(event["args"]["Ev Idx"])
    missing = sum(max(of) - min(of) + 1 - len(of) for of in indices.values())
    removed = sum(process.losses.get(proto.Loss.REMOVED, 0) for process in recording.trace.processes.values())
    recording.check(removed, missing, "operators that were taken out")
    is_part = recording.name in ("hta_sampled_rank0", "hta_cpu_only")
    recording.check(removed > sum(len(of) for of in indices.values()), is_part, "is a part of a recording")


if not os.path.isdir(FOLDER):
    skip("no recordings of PyTorch's profiler")
NAMES = ["resnet50_v100_workers0_a", "hta_simple_add", "hta_sampled_rank0", "hta_triton", "hta_cpu_only", "tl_vit_h100"]
resnet, add, sampled, triton, cpu_only, vit = [Recording(name) for name in NAMES]
for recording in (resnet, add, sampled, triton, cpu_only, vit):
    check_contents(recording)
    check_removed(recording)
check_resnet(resnet)
check_vit(vit)
for recording, kernels, streams in [(add, 79, 2), (sampled, 1154, 4), (triton, 1, 1), (cpu_only, 0, 0)]:
    ours = recording.trace.kernels
    recording.check((len(ours), len({k.stream for k in ours})), (kernels, streams), "kernels and streams")
sampled.check(sum("nccl" in k.name for k in sampled.trace.kernels), 10, "kernels of NCCL")
triton.check(launches(triton), {"cuLaunchKernel": 1}, "launches")
for recording in (resnet, add, sampled, triton, vit):
    compared = check_attribution(recording)
    print(f"{recording.name}: External id " + ("repeats the correlation id" if compared is None else f"of {compared} kernels"))
if failures:
    sys.exit("\n".join(failures))
