"""Check: the latency of a model call at --level model, where no kernel is recorded, against events of the program's own."""
import json
import statistics

from comparison import relative
from executions import STREAM_INTERVAL, DeviceTrace

WARMUP, STEPS = 5, 20
LARGEST_DIFFERENCE = 0.02


def run(acceptance, verdicts):
    batch = 128 if acceptance.has_gpu else 1
    for model in ("resnet50", "transformer"):
        name = f"stream_events-{model}"
        result = acceptance.work / f"{name}.json"
        command = acceptance.program("torch_steps.py", "--model", model, "--device", acceptance.device, "--warmup", WARMUP,
                                     "--steps", STEPS, "--batch", batch, "--events", "--result", result)
        traced, trace = acceptance.profile(name, command, "--level", "model", timeout=120)
        if not traced.good or trace is None:
            verdicts.fail(f"{model}: runs under xsp-run", "exit status 0 and a trace", traced.why())
            continue
        latency = acceptance.tables(trace, ["A1"], "--skip", WARMUP, "--stat", "median")["A1"].total("latency_ms")
        with open(result, encoding="utf-8") as file:
            times = json.load(file)
        if not times["event_ms"]:
            verdicts.not_seen(f"{model}: latency by stream events", "within 2 % of the program's events",
                              f"no stream on a CPU; A1 {latency} ms, the program {statistics.median(times['step_ms']):.3f} ms")
            continue
        asked = statistics.median(times["event_ms"])
        verdicts.judge(f"{model}: A1's latency", f"{asked:.3f} ms +- 2 %", f"{latency} ms", latency is not None and
                       relative(latency, asked) <= LARGEST_DIFFERENCE,
                       f"without the device it would be the time of the launches; a step took "
                       f"{statistics.median(times['step_ms']):.3f} ms")
        intervals = [e.end - e.begin for e in DeviceTrace(trace).of_kind(STREAM_INTERVAL)]
        seen = statistics.median(intervals) / 1e6 if intervals else None
        verdicts.judge(f"{model}: the interval between the events", f"{asked:.3f} ms +- 2 %", f"{seen} ms, "
                       f"{len(intervals)} of {WARMUP + STEPS}", seen is not None and relative(seen, asked) <=
                       LARGEST_DIFFERENCE, "no interval in the trace" if seen is None else "they differ")
