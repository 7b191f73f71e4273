"""Check: a training loop. The evaluation against the program's own clock, memory against PyTorch's statistics of the device,
and the layers of kernels that autograd's threads launched.
"""
import json
import statistics

from comparison import relative
from executions import DeviceTrace

WARMUP, STEPS = 3, 8
LARGEST_DIFFERENCE = {"latency_ms": 0.05, "live_mb": 0.01, "peak_mb": 0.01}
# AccumulateGrad belongs to no layer: a few kernels of each parameter.
LEAST_LINKED = 0.9


def run(acceptance, verdicts):
    result = acceptance.work / "training.json"
    command = acceptance.program("torch_training.py", "--device", acceptance.device, "--batch",
                                 32 if acceptance.has_gpu else 2, "--warmup", WARMUP, "--steps", STEPS, "--result", result)
    traced, trace = acceptance.profile("training", command, timeout=150)
    if not traced.good or trace is None:
        verdicts.fail("a training loop runs under xsp-run", "exit status 0 and a trace", traced.why())
        return
    tables = acceptance.tables(trace, ["A1", "A2"], "--skip", WARMUP, "--stat", "median")
    rows = [row for row in tables["A1"].rows if row.get("mode") == "training"]
    verdicts.judge("one model, of training", 1, len(rows), len(rows) == 1, f"A1 has {len(tables['A1'].rows)} rows")
    if len(rows) != 1:
        return
    with open(result, encoding="utf-8") as file:
        facts = json.load(file)
    judge_row(acceptance, verdicts, rows[0], facts)
    phases = [rows[0].get(f"{phase}_ms") for phase in ("forward", "backward", "optimizer")]
    verdicts.judge("phases", "forward, backward, optimizer", phases, all(phases))
    with_backward = sum((row.get("backward_ms") or 0) > 0 for row in tables["A2"].rows)
    verdicts.judge("layers with backward work", "most of A2", f"{with_backward} of {len(tables['A2'].rows)}",
                   2 * with_backward > len(tables["A2"].rows))
    judge_links(acceptance, verdicts, trace)


def judge_row(acceptance, verdicts, row, facts):
    """A1's row against medians of the steps behind the warm-up."""
    median = lambda name: statistics.median(facts[name][WARMUP:])
    asked = {"latency_ms": median("step_ms")}
    if acceptance.has_gpu:
        asked |= {"live_mb": median("live") / 1e6, "peak_mb": median("peak") / 1e6}
    else:
        verdicts.not_seen("memory of the device", "torch.cuda's own +- 1 %", "no device")
    for column, value in asked.items():
        seen = row.get(column)
        limit = LARGEST_DIFFERENCE[column]
        verdicts.judge(f"A1's {column}", f"{value:.3f} +- {100 * limit:g} %", seen,
                       seen is not None and relative(seen, value) <= limit)


def judge_links(acceptance, verdicts, trace):
    """Kernels launched inside backward nodes, and the layer that their forward spans lie in."""
    if not acceptance.has_gpu:
        verdicts.not_seen("backward kernels", "in the layers of their forward spans", "no device")
        return
    device = DeviceTrace(trace)
    model_threads = {(model.process, model.thread) for model in device.outermost_models()}
    elsewhere = linked = 0
    for kernel in device.kernels():
        if kernel.launch is None or (kernel.launch.process, kernel.launch.thread) in model_threads:
            continue
        elsewhere += 1
        linked += any(span.forward is not None for span in device.ancestors(kernel.launch))
    verdicts.judge("backward kernels", f">= {100 * LEAST_LINKED:g} % lead to a forward span",
                   f"{linked} of {elsewhere} launched by autograd's threads", elsewhere > 0 and
                   linked >= LEAST_LINKED * elsewhere)
