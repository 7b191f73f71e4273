"""Stage 2: the first things under xsp-run, one after the other and with short limits, so that the first minutes say whether
anything works at all.
"""
import trace_rules
from check_cuda_programs import shared_program
from executions import DeviceTrace, read_segments
from report import quality

TORCH_S = 20
METRICS_S = 20
STEPS = 3
# Level: what of the trace has to be there, by the level of its spans.
LEVELS = {"model": ("model",), "layer": ("model", "layer"), "library": ("model", "layer", "library"),
          "kernel": ("model", "layer", "library")}


def run_torch(acceptance, verdicts):
    command = acceptance.program("torch_steps.py", "--model", "resnet50", "--device", acceptance.device, "--warmup", 1, "--steps",
                                 STEPS, "--batch", 2)
    for level, expected in LEVELS.items():
        traced, path = acceptance.profile(f"smoke-torch-{level}", command, "--level", level, timeout=TORCH_S)
        if not verdicts.judge(f"torch at --level {level}: runs", "exit status 0 and a trace",
                              f"{traced.seconds:.1f} s" if traced.good else "–", traced.good and path is not None, traced.why()):
            continue
        trace = DeviceTrace(path)
        counts = {name: sum(span.level == name for span in trace.host.spans) for name in expected}
        # Libraries of a CPU are called by other names, and in a small model perhaps not at all.
        asked = [name for name in expected if acceptance.has_gpu or name != "library"]
        verdicts.judge(f"torch at --level {level}: spans", f"of {', '.join(expected)}",
                       ", ".join(f"{count} {name}" for name, count in counts.items()), all(counts[name] for name in asked),
                       trace.why_missing("a level has none"))
        if level == "kernel":
            judge_kernels(acceptance, verdicts, path, trace)


def judge_kernels(acceptance, verdicts, path, trace):
    kernels = trace.kernels()
    launched = sum(kernel.launch is not None for kernel in kernels)
    if not acceptance.has_gpu:
        verdicts.not_seen("torch: kernels", "each with its launch", "there is no GPU")
        return
    # ResNet-50 has 53 convolutions.
    verdicts.judge("torch: kernels", f">= {50 * (STEPS + 1)}, each with its launch", f"{len(kernels)}, {launched} with one",
                   len(kernels) >= 50 * (STEPS + 1) and launched == len(kernels), trace.why_missing("kernels are missing"))
    tables = acceptance.tables(path, ["Q1"])
    trace_rules.judge_quality(verdicts, "torch", tables)
    verdicts.fact("torch: clock error of the device", f"{quality(tables['Q1']).get(('clock_error_ns', 'device'))} ns")


def run_metrics(acceptance, verdicts):
    """Counts at all; whether they are right is asked by the check `counters`."""
    program = shared_program(acceptance, verdicts, "--metrics")
    if program is None:
        return
    traced, path = acceptance.profile("smoke-metrics", [program], "--metrics", "roofline-fp32", timeout=METRICS_S)
    if not traced.good or path is None:
        verdicts.fail("--metrics roofline-fp32: runs", "exit status 0 and a trace", traced.why())
        return
    segments = read_segments(path)
    counted = [row for segment in segments if segment.header["counted"] for row in segment.counters]
    said = "; ".join(dict.fromkeys(notice for segment in segments for notice in segment.notices if "counters" in notice))
    if counted:
        names = sorted({row.name.split("(")[0] for row in counted})
        verdicts.judge("--metrics roofline-fp32: counted kernels", ">= 1", f"{len(counted)}: {', '.join(names)}", True)
    else:
        verdicts.not_seen("--metrics roofline-fp32: counted kernels", ">= 1", said or "nothing was counted, and nothing said why")
