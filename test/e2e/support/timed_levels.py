"""For the tests of leveled sets of real frameworks: a program that times its own calls, run at each level set, with bare
runs of the same program in between.

The machine may be busy. What is compared within one run holds all the same, for both clocks see the same calls. What is
compared between runs is the minimum over many evaluations, in the order in which the set is made. Where even bare runs
do not agree with each other, the processor's time of the same calls is compared instead; where that differs too, the
machine says nothing about profiling, and the test says so.
"""
import json
import shlex
from pathlib import Path

from .trace_reader import read_trace
from .xsp_e2e import PROGRAMS, XSP_RUN, check, check_equal, clean_environment, report, run, work_folder

RUNS = 3
WARM_UP = 2  # evaluations of each run
TOLERANCE = 0.02
AGREEMENT = 0.02  # of all bare runs with each other, for them to be a measure
INTERRUPTED = 0.1  # fraction of the calls that may be interrupted between the two clock readings


def best(runs, clock="wall"):
    return min(ns for run in runs for ns in run[clock][WARM_UP:]) / 1e6


def compare_runs(bare, before_model, own):
    """Compares the runs of the model level with the bare ones just before them, as the minimum depends on how many there
    are; then those of the layer level with those of the model level."""
    for clock in ("wall", "cpu"):
        plain, model, layer = (best(runs, clock) for runs in (before_model, own["model"], own["layer"]))
        drift = max(best([run], clock) for run in bare) / best(bare, clock) - 1
        print(f"{clock}: bare {plain:.4f} ms, M {model:.4f} ms ({100 * (model / plain - 1):+.2f} %), M/L {layer:.4f} ms; "
              f"bare runs differ by {100 * drift:.2f} %")
        if drift <= AGREEMENT:
            check(abs(model / plain - 1) < TOLERANCE, f"{clock}: {model} ms at M, {plain} ms in a plain loop")
            check(layer > model, f"{clock}: layers cost {layer - model} ms")
            return
    print("the machine is too busy for a comparison of different runs")


def check_same_calls(entry, own, spans):
    """Compares the model spans of a run with what the program measured around the same calls."""
    check_equal(len(spans), len(own), f"model spans of {entry['trace']}")
    outside = [a - b for a, b in zip(own, spans)]
    check(min(outside) > -2000, f"{entry['trace']}: a call is timed longer than the program around it: {outside} ns")
    # The first call is where the recording begins to work.
    apart = [ns for ns, latency in list(zip(outside, own))[1:] if ns > TOLERANCE * latency]
    check(len(apart) <= INTERRUPTED * len(own), f"{entry['trace']}: latencies differ by more than 2 %: {outside} ns of {own}")


def check_set(python, *arguments):
    """Makes the set and checks it. Prints what was measured."""
    work_folder()
    program = [python, PROGRAMS / "timed_inference.py", *arguments]
    bare_run = " ".join(shlex.quote(str(word)) for word in program) + " >> bare.txt"
    done = run(XSP_RUN, "--leveled", "--level", "layer", "--runs", RUNS, "--prepare", bare_run, "-o", "set", "--", *program,
               env=clean_environment(), timeout=220)
    check(done.returncode == 0, f"xsp-run --leveled: {done.stderr.decode()}")
    bare = [json.loads(line) for line in Path("bare.txt").read_text().splitlines()]
    index = json.loads(Path("set/set.json").read_text())
    own = {"model": [], "layer": []}
    for entry in index["runs"]:
        timed = json.loads((Path("set") / entry["log"]).read_text().splitlines()[-1])
        spans = sorted((s for s in read_trace(Path("set") / entry["trace"]).spans if s.level == "model"),
                       key=lambda s: s.begin)
        check_same_calls(entry, timed["wall"], [s.end - s.begin for s in spans])
        own[entry["level"]].append(timed)
    check_equal((len(own["model"]), len(own["layer"]), len(bare)), (RUNS, RUNS, 2 * RUNS), "runs")

    l1 = report("set", "--analysis", "L1", "--stat", "min", "--skip", WARM_UP)["L1"]
    models = {r[0]: r for r in l1["rows"] if r[1] == "model"}
    direct = best(own["layer"]) - best(own["model"])
    overhead = models["M/L"][4]
    # Both minima differ from the program's by a clock reading and a wrapper call.
    check(abs(overhead - direct) < max(0.1, 0.002 * models["M"][3]),
          f"overhead of layers {overhead} ms, by the program's own times {direct} ms")
    print(f"M {models['M'][3]:.4f} ms, overhead of layers {overhead:.4f} ms, directly {direct:.4f} ms")
    check(len([r for r in l1["rows"] if r[:2] == ["M/L", "layer"]]) > 50, "layers of ResNet-50")
    compare_runs(bare, [run for run, entry in zip(bare, index["runs"]) if entry["level"] == "model"], own)
