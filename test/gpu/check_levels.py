"""Check: a leveled set. Each level set's latency against what the program measured in the same run, and what A1 to A13 take
from which set.
"""
import json
import statistics

from comparison import relative

WARMUP, STEPS = 5, 20
LARGEST_DIFFERENCE = 0.02
SETS = ["M", "M/L", "M/L/library", "M/L/library/G"]


def own_latency(acceptance, run):
    """Median in ms of a run by the program's events on the stream, on a CPU by its clock."""
    with open(acceptance.work / f"leveled-{run}.json", encoding="utf-8") as file:
        times = json.load(file)
    return statistics.median(times["event_ms"] or times["step_ms"])


def run(acceptance, verdicts):
    batch = 64 if acceptance.has_gpu else 1
    folder = acceptance.work / "leveled"
    program = acceptance.program("torch_steps.py", "--model", "resnet50", "--device", acceptance.device, "--warmup", WARMUP,
                                 "--steps", STEPS, "--batch", batch, "--events", "--result",
                                 acceptance.work / "leveled-{run}.json")
    command = [acceptance.bundle / "bin/xsp-run", "-f", "--leveled", "--summary", "none", "-o", folder, "--", *program]
    outcome = acceptance.run("leveled", command, timeout=240)
    if not outcome.good:
        verdicts.fail("a leveled set", "exit status 0", outcome.why())
        return
    tables = acceptance.tables(folder, ["A1", "A2", "A8", "A13", "L1"], "--skip", WARMUP, "--stat", "median")
    models = {row["level_set"]: row for row in tables["L1"].rows if row["event_level"] == "model"}
    expected = SETS if acceptance.has_gpu else SETS[:3]
    verdicts.judge("level sets of L1", ", ".join(expected), ", ".join(models), list(models) == expected)
    for number, (name, row) in enumerate(models.items(), start=1):
        asked = own_latency(acceptance, number)
        verdicts.judge(f"{name}: latency of the model", f"{asked:.3f} ms +- 2 %", f"{row['latency_ms']:.3f} ms",
                       relative(row["latency_ms"], asked) <= LARGEST_DIFFERENCE,
                       f"overhead {row['overhead_ms']} ms, {row['overhead_pct']} %")
    if "M" not in models:
        return
    verdicts.judge("A1 is of M", models["M"]["latency_ms"], tables["A1"].total("latency_ms"),
                   tables["A1"].total("latency_ms") == models["M"]["latency_ms"])
    if not acceptance.has_gpu:
        verdicts.not_seen("kernels of the set", "in A8 and A13", "no device")
        return
    shown = tables["A13"].total("kernel_ms")
    asked = tables["A8"].total("latency_ms")
    verdicts.judge("A13's kernels are those of A8", f"{asked} ms", f"{shown} ms",
                   bool(asked) and shown is not None and relative(shown, asked) <= LARGEST_DIFFERENCE)
