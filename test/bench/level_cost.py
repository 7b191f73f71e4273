#!/usr/bin/env python3
"""What each level costs a program that times its own calls, and what the framework's own profiler does, against bare runs.

    test/bench/level_cost.py [--levels model,layer] [--profiler] [--json] ROUNDS XSP_RUN PYTHON \\
        test/programs/timed_inference.py ort resnet50.onnx 12

A round is a bare run, one at each level and, with --profiler, a bare one with "profile" behind its arguments, in random
order. Of each run the fastest call behind the first two counts; of each level the median over the rounds of its ratio to
the bare run, with a bootstrap interval.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile

WARM_UP = 2
RESAMPLES = 4000


def fastest(command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XSP_")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return min(json.loads(done.stdout.splitlines()[-1])["wall"][WARM_UP:])


def slowdowns(options):
    """Of each way to record, one slowdown a round."""
    with tempfile.TemporaryDirectory() as folder:
        recorded = [options.xsp_run, "-q", "-f", "--summary", "none", "-o", f"{folder}/run.pb"]
        commands = {level: [*recorded, "--level", level, "--", *options.program] for level in options.levels.split(",")}
        if options.profiler:
            commands["profiler"] = [*options.program, "profile"]
        ratios = {name: [] for name in commands}
        commands["bare"] = options.program
        for number in range(options.rounds):
            order = list(commands)
            random.Random(number).shuffle(order)
            times = {name: fastest(commands[name]) for name in order}
            for name, values in ratios.items():
                values.append(times[name] / times["bare"] - 1)
    return ratios


def with_interval(values):
    generator = random.Random(0)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return {
        "percent": 100 * statistics.median(values),
        "low": 100 * medians[RESAMPLES // 40],
        "high": 100 * medians[-RESAMPLES // 40],
        "rounds": len(values),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", default="model,layer")
    parser.add_argument("--profiler", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("rounds", type=int)
    parser.add_argument("xsp_run")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    measured = {name: with_interval(values) for name, values in slowdowns(options).items()}
    if options.json:
        print(json.dumps(measured))
        return
    for name, entry in measured.items():
        what = "the framework's own profiler" if name == "profiler" else f"level {name}"
        print(f"{what}: {entry['percent']:+.2f} % over bare runs, 95 % within {entry['low']:+.2f} and {entry['high']:+.2f} %, "
              f"{entry['rounds']} rounds")


main()
