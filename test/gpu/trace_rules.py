"""Rows that every trace with kernels has to pass, whatever the program was."""
import comparison
from executions import DeviceTrace
from report import quality

TABLES = ["A8", "A10", "A11", "A13", "A15", "C2", "Q1"]
LATE_NS = 2_000  # a kernel may seem to start so much before its launch: what two readings of a clock differ by


def judge_quality(verdicts, subject, tables):
    """Q1: nothing unmatched, nothing lost."""
    values = quality(tables["Q1"])
    wrong = {}
    for quantity in ("unmatched_launch", "unmatched_execution", "dropped", "inverted"):
        value = values.get((quantity, "all"))
        if value != 0:
            wrong[quantity] = value
    zero = values.get(("zero_time", "device"), 0)
    if zero:
        wrong["zero_time"] = zero
    seen = ", ".join(f"{k} {v}" for k, v in wrong.items()) or "all 0"
    clocks = "/".join(str(values.get(("clock_error_ns", level))) for level in ("all", "device"))
    verdicts.judge(f"{subject}: Q1", "nothing unmatched, dropped, zero, inverted", f"{seen}; clock errors {clocks} ns",
                   not wrong, seen)


def judge_identity(verdicts, subject, tables):
    found = comparison.identity(tables)
    if found is None:
        verdicts.fail(f"{subject}: A10 = A11 = A15", "equal counts and latencies", "a table has no kernel")
        return
    counts, times, holds = found
    seen = f"{'/'.join(map(str, counts))} kernels, {'/'.join(f'{t:.4f}' for t in times)} ms"
    verdicts.judge(f"{subject}: A10 = A11 = A15", "equal counts and latencies", seen, holds, "they differ")


def judge_layer_sums(verdicts, subject, tables):
    """A13: what a layer's latency consists of."""
    rows = [r for r in tables["A13"].rows if r.get("gpu_ms") is not None and r.get("layer_latency_ms") is not None]
    if not rows:
        verdicts.fail(f"{subject}: A13 adds up", "gpu + non-gpu = latency of each layer", "no layer has a gpu_ms")
        return
    wrong = [r for r in rows if abs(r["gpu_ms"] + (r.get("non_gpu_ms") or 0) - r["layer_latency_ms"]) > 1e-5]
    verdicts.judge(f"{subject}: A13 adds up", "gpu + non-gpu = latency of each layer",
                   f"{len(rows) - len(wrong)} of {len(rows)} layers", not wrong, f"layer {wrong[0].get('layer_index')}"
                   if wrong else "")


def judge_times(verdicts, subject, trace_path, steps=0):
    """One clock: no kernel before its launch; and the program waited for each of its last `steps` model calls: no kernel of
    one ends after the next began.
    """
    trace = DeviceTrace(trace_path)
    kernels = [k for k in trace.kernels() if k.launch is not None]
    if not kernels:
        verdicts.fail(f"{subject}: clock", "no kernel before its launch", trace.why_missing("no kernel has a launch"))
        return trace
    leads = [kernel.begin - kernel.launch.begin for kernel in kernels]
    early = sum(lead < -LATE_NS for lead in leads)
    verdicts.judge(f"{subject}: clock", "no kernel before its launch", f"{early} of {len(kernels)}; least lead "
                   f"{min(leads) / 1000:.1f} us", early == 0, "kernels start before their launch")
    if steps:
        late = count = 0
        models = trace.outermost_models()[-steps:]
        for model, following in zip(models, models[1:]):
            if following.process != model.process:
                continue
            for kernel in trace.launched_in(model):
                count += 1
                late += kernel.end > following.begin + LATE_NS
        verdicts.judge(f"{subject}: steps", "no kernel ends in the next step", f"{late} of {count}",
                       late == 0 and count != 0, "kernels end after the program had waited for them" if late else
                       "no kernel was launched in a model call")
    return trace
