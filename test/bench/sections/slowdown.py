"""What real programs lose: ResNet-50 in PyTorch and in ONNX Runtime, by level, next to the frameworks' own profilers."""

import json
import os
import sys

LEVELS = "model,layer,library,kernel"
EVALUATIONS = "16"


def slowdown(bench, figures, options):
    figures.section = "a real program, slower by"
    os.environ["OMP_NUM_THREADS"] = "1"
    torch = next(iter(bench.torch_pythons()), None)
    rows = []
    if torch is None:
        figures.leave_out("PyTorch", "no PyTorch here")
    else:
        program = [torch[0], bench.source("test", "programs", "timed_inference.py"), "torch", "224", EVALUATIONS]
        measured = compare(bench, figures, options, program)
        rows += rows_of("ResNet-50, batch 1, PyTorch", "torch.profiler", measured)
        layer = measured["layer"]
        figures.within("model and layer level, ResNet-50 batch 1 on PyTorch", layer["percent"], layer["low"], layer["high"], 1, "%", interval(layer))
    ort = bench.resnet50_for_ort()
    if ort is None:
        figures.leave_out("ONNX Runtime", "scripts/setup installs it")
    else:
        program = [ort[0], bench.source("test", "programs", "timed_inference.py"), "ort", ort[1], EVALUATIONS]
        measured = compare(bench, figures, options, program)
        rows += rows_of("ResNet-50, batch 1, ONNX Runtime", "its own profiler", measured)
        ours, its = measured["kernel"], measured["profiler"]
        ratio, low, high = (
            (100 + ours[one]) / (100 + its[other]) for one, other in (("percent", "percent"), ("low", "high"), ("high", "low"))
        )
        figures.within("ONNX Runtime under XSP / under its own profiler", ratio, low, high, 1.05, "", f"within {low:.3f} and {high:.3f}")
    figures.table(("program", "recorded", "slower by", "95 % within", "rounds"), rows)


def compare(bench, figures, options, program):
    command = [sys.executable, bench.source("test", "bench", "level_cost.py"), "--levels", LEVELS, "--profiler", "--json"]
    figures.command = "OMP_NUM_THREADS=1 test/bench/level_cost.py --levels … --profiler ROUNDS XSP_RUN PYTHON timed_inference.py …"
    with bench.undisturbed():
        return json.loads(bench.output([*command, str(options.slowdown_rounds), bench.path("inject", "launch", "xsp-run"), *program]))


def interval(entry):
    return f"95 % within {entry['low']:+.2f} and {entry['high']:+.2f} %"


def rows_of(program, profiler, measured):
    titles = {"model": "XSP, model", "layer": "XSP, model and layer", "library": "XSP, and library calls", "kernel": "XSP, all (no GPU here)"}
    return [
        (program, titles.get(name, profiler), f"{entry['percent']:+.2f} %", f"{entry['low']:+.2f}, {entry['high']:+.2f} %", str(entry["rounds"]))
        for name, entry in measured.items()
    ]
