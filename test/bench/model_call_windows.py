#!/usr/bin/env python3
"""What recording costs a model call of PyTorch, in time, inside one process: calls that are recorded and calls that are not, by turns.
Between processes page faults and the heap's layout differ by more than what is looked for; inside one they befall both alike.

    XSP_BUILD_DIR=build test/bench/model_call_windows.py [--python PYTHON] [--model NAME...] [--level NAME...] [--rounds N]

The process runs under xsp-run with --range, and opens the range for every other block of calls. A round is four blocks in random order, two
recorded and two not, each with a call before it that is not timed. Of a block the median of its calls' processor time on the calling
thread counts, of a round the recorded blocks over the others, of all rounds the median, with the 95 % interval of the sign test (which
asks for no distribution). The control is of the same blocks and has the same noise: the first of each kind over the second of
each, where there is no difference. What calls outside the range cost more than bare ones: model_call_instructions.py.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("XSP_BUILD_DIR", os.path.join(SOURCE, "..", "..", "build")))
RANGE = "measured"
WARM_UP = 5
MODELS = {"resnet50": (224, 3), "transformer": (128, 10), "mlp": (16, 60)}  # size of the input, calls of a block
LEVELS = ["model", "layer", "library"]


def measured_program(name, rounds):
    """Prints one line of JSON a round: the blocks' nanoseconds a call, those of recorded blocks first."""
    sys.path[:0] = [os.path.join(SOURCE, "..", "models"), os.path.join(SOURCE, "..", "..", "inject", "api")]
    import xsp
    from torch_inference_models import model_and_input

    size, calls = MODELS[name]
    model, x = model_and_input(name, size)

    def block():
        times = []
        model(x)
        for _ in range(calls):
            begin = time.thread_time_ns()
            model(x)
            times.append(time.thread_time_ns() - begin)
        return statistics.median(times)

    for _ in range(WARM_UP):
        model(x)
    order = random.Random(0)
    for _ in range(rounds):
        times = {True: [], False: []}
        for is_recorded in order.sample([True, True, False, False], 4):
            if is_recorded:
                with xsp.span(RANGE):
                    times[True].append(block())
            else:
                times[False].append(block())
        print(json.dumps(times[True] + times[False]), flush=True)


def median_with_interval(values):
    """The median, and the order statistics between which the true one lies with 95 %: so many of n fair coins fall on one side."""
    ordered = sorted(values)
    count = len(ordered)
    below, outside = 0, 0.5**count
    while outside + math.comb(count, below + 1) * 0.5**count <= 0.025:
        below += 1
        outside += math.comb(count, below) * 0.5**count
    return statistics.median(ordered), ordered[below], ordered[-1 - below]


def percent(logarithms):
    return tuple(100 * math.expm1(value) for value in median_with_interval(logarithms))


def costs_of(rounds):
    """Of rounds as the program prints them: percent that recording adds, and the control; each a median with its interval."""
    logarithms = [[math.log(value) for value in blocks] for blocks in rounds]
    cost = percent([(on + on_again - off - off_again) / 2 for on, on_again, off, off_again in logarithms])
    control = percent([(on - on_again + off - off_again) / 2 for on, on_again, off, off_again in logarithms])
    return cost, control


def measure(chosen, name, level):
    with tempfile.TemporaryDirectory(prefix="xsp-windows-") as folder:
        trace = os.path.join(folder, "run.pb")
        run = [os.path.join(BUILD, "inject", "launch", "xsp-run"), "-q", "-f", "--summary", "none", "-o", trace, "--level", level]
        command = [*run, "--range", RANGE, "--", chosen.python, os.path.abspath(__file__), "--measured", name, str(chosen.rounds)]
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("XSP_", "MALLOC_", "LD_PRELOAD"))}
        environment = {**inherited, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "XSP_BUILD_DIR": BUILD}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        check_recorded(trace, 2 * chosen.rounds * (MODELS[name][1] + 1))
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    cost, control = costs_of(rounds)
    call = statistics.median(value for blocks in rounds for value in blocks[2:])
    print(f"{name:12} {call / 1e6:8.3f} ms a call  {level:8} {cost[0]:+7.3f} % ({cost[1]:+.3f} to {cost[2]:+.3f}), {cost[0] * call / 1e5:+8.1f} us"
          f"   control {control[0]:+7.3f} % ({control[1]:+.3f} to {control[2]:+.3f})   {len(rounds)} rounds", flush=True)


def check_recorded(trace, calls):
    """Exactly the calls in ranges have been recorded."""
    sys.path.insert(0, os.path.join(SOURCE, "..", "e2e"))
    from support.trace_reader import read_trace

    models = sum(span.level == "model" for process in read_trace(trace).processes.values() for span in process.spans)
    if models != calls:
        sys.exit(f"model_call_windows: {models} model calls of {calls} were recorded")


def main():
    if sys.argv[1:2] == ["--measured"]:
        return measured_program(sys.argv[2], int(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="/usr/bin/python3", help="one that has PyTorch")
    parser.add_argument("--model", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--level", nargs="*", default=LEVELS, choices=LEVELS)
    parser.add_argument("--rounds", type=int, default=100)
    chosen = parser.parse_args()
    for name in chosen.model:
        for level in chosen.level:
            measure(chosen, name, level)
    return 0


if __name__ == "__main__":
    sys.exit(main())
