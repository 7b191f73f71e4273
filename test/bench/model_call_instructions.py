#!/usr/bin/env python3
"""What XSP adds to a model call of PyTorch, in instructions, counted by callgrind. Time between two processes decides nothing here: it
differs by more than what is looked for. In time: model_call_windows.py.

    XSP_BUILD_DIR=build test/bench/model_call_instructions.py [--python PYTHON] [--model NAME...] [--way NAME...] [--full-size] [--keep DIR]

Counted is what the calling thread runs in each of several calls behind the first ones; the least counts, as PyTorch's allocations make
calls differ by some thousands. PyTorch has one thread. The controls are bare once more, and `bare, moved`: with an empty library
preloaded and a longer environment, so that all addresses are others, as they are with XSP. Where a level is recorded, the same process
also makes calls outside of the recorded range. Other threads' instructions stand apart: the guest's sender, which wakes by the clock,
while the program is some fifty times slower than it really is.

Inputs are small, because valgrind computes a fused multiplication by calling a function for each number; what XSP adds does not
depend on them, its share does. With --full-size they are those of model_call_windows.py, and a call of ResNet-50 takes minutes. Valgrind
has no AVX-512: on a processor that has it, kernels are fewer instructions than counted here. --keep keeps callgrind's files, for
callgrind_annotate. Needs valgrind and PyTorch; 77: not there.
"""

import argparse
import concurrent.futures
import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("XSP_BUILD_DIR", os.path.join(SOURCE, "..", "..", "build")))
REQUESTS = os.path.join(BUILD, "test", "bench", "libcallgrind_requests.so")
SKIPPED = 77
RANGE = "counted"
WARM_UP = 2
CALLS = 2  # counted of each kind
REST_SECONDS = 0.2  # in which the sender empties its ring

SIZES = {"resnet50": (32, 224), "transformer": (16, 128), "mlp": (16, 16)}  # counted, full
RANGED = ["--range", RANGE]
# The options of xsp-run, if it runs the program.
WAYS = {
    "bare": None,
    "bare again": None,
    "bare, moved": None,
    "preloaded, off": None,
    "model": ["--level", "model", *RANGED],
    "layer": ["--level", "layer", *RANGED],
    "library": ["--level", "library", *RANGED],
    "not sampled": ["--level", "library", "--sample", "1/1000000"],
}


def counted_program(names, is_full_size, is_ranged):
    """Runs under callgrind: CALLS dumps of a call each for every model; with ranges twice as many, recorded and not by turns."""
    sys.path[:0] = [os.path.join(SOURCE, "..", "models"), os.path.join(SOURCE, "..", "..", "inject", "api")]
    import xsp
    from torch_inference_models import model_and_input

    requests = ctypes.CDLL(REQUESTS)
    kinds = (True, False) if is_ranged else (False,)
    for name in names:
        model, x = model_and_input(name, SIZES[name][is_full_size])
        for number in range(WARM_UP + CALLS):
            for is_recorded in kinds:
                with xsp.span(RANGE) if is_recorded else contextlib.nullcontext():
                    model(x)  # the first one after a change
                    if number == WARM_UP and is_recorded == kinds[0] and name == names[0]:
                        requests.xsp_start_counting()
                        model(x)
                    if number >= WARM_UP:
                        requests.xsp_dump_counts()
                        model(x)
                        requests.xsp_dump_counts()
                time.sleep(REST_SECONDS)


def total(file):
    with open(file) as lines:
        return int(next(line.split()[1] for line in lines if line.startswith("totals:")))


def dumps(folder):
    """Of each dump in order: the instructions of the first thread, and those of all others."""
    counts = {}
    for name in os.listdir(folder):
        number, _, thread = name.removeprefix("counts.").partition("-")
        if name.startswith("counts.") and number.isdigit() and thread.isdigit():
            counts.setdefault(int(number), {})[int(thread)] = total(os.path.join(folder, name))
    return [(counts[number][1], sum(counts[number].values()) - counts[number][1]) for number in sorted(counts)]


def instructions(chosen, way, folder):
    """Of each model: [(calling thread, others)] of a call that is recorded and, where there are ranges, of one that is not."""
    options = WAYS[way]
    is_ranged = options is not None and "--range" in options
    counts = os.path.join(folder, "counts")
    command = ["valgrind", "--tool=callgrind", "--separate-threads=yes", "--instr-atstart=no", f"--callgrind-out-file={counts}",
               chosen.python, os.path.abspath(__file__), "--counted", str(int(chosen.full_size)), str(int(is_ranged)), *chosen.model]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("XSP_", "MALLOC_", "LD_PRELOAD"))}
    # Hashes of texts are other instructions in each run otherwise.
    environment = {**inherited, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "XSP_BUILD_DIR": BUILD}
    trace = os.path.join(folder, "run.pb")
    if way == "bare, moved":
        environment.update(LD_PRELOAD=REQUESTS, LONGER="x" * 3000)
    elif way == "preloaded, off":
        environment["LD_PRELOAD"] = os.path.join(BUILD, "inject", "libxsp_inject.so")
    elif options is not None:
        run = [os.path.join(BUILD, "inject", "launch", "xsp-run"), "-q", "-f", "--summary", "none", "-o", trace]
        command = [*run, *options, "--", *command]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"model_call_instructions: {' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr[-2000:]}")
    calls = dumps(folder)[1::2]  # the others are of what lies between two calls
    kinds = 2 if is_ranged else 1
    each = CALLS * kinds
    if len(calls) != each * len(chosen.model):
        sys.exit(f"model_call_instructions: {len(calls)} dumps in {folder}, not {each * len(chosen.model)}")
    if is_ranged:
        check_recorded(trace, len(chosen.model) * (WARM_UP + 2 * CALLS) + 1)
    by_model = [calls[first : first + each] for first in range(0, len(calls), each)]
    return {name: [min(of_model[kind::kinds]) for kind in range(kinds)] for name, of_model in zip(chosen.model, by_model)}


def check_recorded(trace, calls):
    """Exactly the calls in ranges have been recorded."""
    sys.path.insert(0, os.path.join(SOURCE, "..", "e2e"))
    from support.trace_reader import read_trace

    models = sum(span.level == "model" for process in read_trace(trace).processes.values() for span in process.spans)
    if models != calls:
        sys.exit(f"model_call_instructions: {models} model calls of {calls} were recorded in {trace}")


def row(name, what, counted, bare):
    added = counted[0] - bare
    print(f"  {name:12} {what:28} {added:+12,d} instructions a call  {100 * added / bare:+9.4f} %   others {counted[1]:,d}", flush=True)


def print_way(way, results, bare):
    for name, counted in results.items():
        if way == "bare":
            print(f"  {name:12} {way:28} {counted[0][0]:12,d} instructions a call", flush=True)
            continue
        row(name, way, counted[0], bare[name][0][0])
        if len(counted) == 2:
            row(name, f"{way}, outside the range", counted[1], bare[name][0][0])


def main():
    if sys.argv[1:2] == ["--counted"]:
        return counted_program(sys.argv[4:], int(sys.argv[2]), sys.argv[3] == "1")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="/usr/bin/python3", help="one that has PyTorch")
    parser.add_argument("--model", nargs="*", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--way", nargs="*", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--full-size", action="store_true")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time, which do not change what is counted")
    parser.add_argument("--keep", metavar="DIR")
    chosen = parser.parse_args()
    has_torch = shutil.which(chosen.python) and subprocess.run([chosen.python, "-c", "import torch"], capture_output=True).returncode == 0
    if shutil.which("valgrind") is None or not has_torch or not os.path.exists(REQUESTS):
        print("skipped: needs valgrind with its headers, and a Python with PyTorch")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="xsp-counts-") as scratch, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        running = {}
        for way in ["bare", *(way for way in chosen.way if way != "bare")]:
            folder = os.path.join(chosen.keep or scratch, way.replace(", ", "-").replace(" ", "-"))
            os.makedirs(folder)
            running[way] = pool.submit(instructions, chosen, way, folder)
        bare = running["bare"].result()
        for way, results in running.items():
            print_way(way, results.result(), bare)
    return 0


if __name__ == "__main__":
    sys.exit(main())
