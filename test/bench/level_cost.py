#!/usr/bin/env python3
"""What the model and the layer level cost a program that times its own calls, against bare runs.

    test/bench/level_cost.py TRIPLES XSP_RUN PYTHON test/programs/timed_inference.py ort resnet50.onnx 12

A triple is a bare run, one at level model and one at level layer, in random order. Of each run the fastest call behind the
first two counts; of each level the median over the triples of its ratio to the bare run, with a bootstrap interval.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

WARM_UP = 2
LEVELS = ["model", "layer"]
RESAMPLES = 4000


def fastest(command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XSP_")}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return min(json.loads(done.stdout.splitlines()[-1])["wall"][WARM_UP:])


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    triples, xsp_run, program = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    ratios = {level: [] for level in LEVELS}
    with tempfile.TemporaryDirectory() as folder:
        recorded = [xsp_run, "-q", "-f", "--summary", "none", "-o", f"{folder}/run.pb"]
        commands = {None: program, **{level: [*recorded, "--level", level, "--", *program] for level in LEVELS}}
        for triple in range(triples):
            order = list(commands)
            random.Random(triple).shuffle(order)
            times = {level: fastest(commands[level]) for level in order}
            for level in LEVELS:
                ratios[level].append(times[level] / times[None] - 1)
    for level, values in ratios.items():
        generator = random.Random(0)
        medians = sorted(statistics.median(generator.choices(values, k=triples)) for _ in range(RESAMPLES))
        low, high = medians[RESAMPLES // 40], medians[-RESAMPLES // 40]
        print(f"level {level}: {100 * statistics.median(values):+.2f} % over bare runs, 95 % within "
              f"{100 * low:+.2f} and {100 * high:+.2f} %, {triples} triples")


main()
