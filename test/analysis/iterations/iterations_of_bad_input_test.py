"""Traces with next to nothing, or nonsense, in them give iterations, or say that there are none, and never a crash:
iterations_of_bad_input_test.py XSP_IMPORT XSP_REPORT. Each with the default miner and the paper's method.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import replace

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from made_iterations import Operation, copy, write_profile  # noqa: E402

IMPORT, REPORT = [os.path.abspath(path) for path in sys.argv[1:3]]
failures = []


def kernels(count, names=None, step=10.0, duration=8.0, begin=1000.0):
    return [Operation(begin + step * i, duration, "kernel", names[i % len(names)] if names else "kernel") for i in range(count)]


def loop(steps, names="abcdefghij", pause=60.0, step=10.0):
    operations, at = [], 1000.0
    for _ in range(steps):
        operations += kernels(len(names), names, step=step, begin=at)
        at += step * len(names) + pause
    return operations


def with_times(operations, times):
    """Times by the number of the operation: (begin, duration), or None where it keeps its own."""
    return [replace(o, begin=t[0], duration=t[1]) if (t := times(i, o)) else o for i, o in enumerate(operations)]


# Name, operations, counts that are right for the default (None: whatever it finds, there is no crash).
rng = random.Random(1)
CASES = [
    ("one kernel", kernels(1), [0]),
    ("two kernels", kernels(2), [0]),
    ("two other kernels", kernels(2, "ab"), [0]),
    ("one copy", [copy("HtoD", 5, 100)], [0]),
    ("copies alone", [replace(copy("HtoD", 5, 100), begin=10.0 * i) for i in range(50)], None),
    ("two iterations", loop(2), [0, 2]),
    ("three iterations", loop(3), [0, 3]),
    ("all equal", kernels(1000), None),
    ("all equal, names empty", kernels(1000, [""]), None),
    ("names empty here and there", loop(20, ["a", "", "b", "c", "", "d"]), [20]),
    ("no two alike", kernels(1000, [f"kernel {i}" for i in range(1000)]), [0]),
    ("100,000 names", kernels(100_000, [f"kernel {i}" for i in range(100_000)]), [0]),
    ("100,000 names twice", kernels(200_000, [f"kernel {i}" for i in range(100_000)]), None),
    ("of no length", with_times(loop(20), lambda i, o: (o.begin, 0)), [20]),
    ("all at once", with_times(loop(20), lambda i, o: (1000, 0)), None),
    ("all at once, long", with_times(loop(20), lambda i, o: (1000, 500)), None),
    ("the clock steps backwards", with_times(loop(20), lambda i, o: (o.begin - (800 if i > 100 else 0), o.duration)), None),
    ("ends before it begins", with_times(loop(20), lambda i, o: (o.begin, -30) if i % 13 == 5 else None), None),
    ("cut within an iteration", loop(20)[7:-4], [18, 19, 20]),
    ("late", with_times(loop(20), lambda i, o: (o.begin + 9e14, o.duration)), [20]),
    ("long ago and late", with_times(loop(20), lambda i, o: (o.begin + (9e14 if i > 100 else 0), o.duration)), None),
    ("one that never ends", with_times(loop(20), lambda i, o: (o.begin, 1e9) if i == 35 else None), [20]),
    ("by chance", kernels(2000, rng.choices("abcdefgh", k=2000)), [0]),
    ("a long name", loop(20, ["a", "b" * 100_000, "c", "d", "e"]), [20]),
    ("names that are no words", loop(20, ["\n", "\t", "\"", "\\", "<b>", "ü€😀", "a,b", "%s"]), [20]),
]  # fmt: skip
WITHOUT_CONFIGURATIONS = ("two iterations", "by chance", "cut within an iteration")


def check(held, what):
    if not held:
        failures.append(what)


def run(trace, *arguments):
    return subprocess.run([REPORT, trace, "-q", "--format", "json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_answer(name, trace, counts, method):
    done = run(trace, "-a", "D1,D2,D3,D4", *method)
    what = f"{name} {' '.join(method)}"
    check(done.returncode == 0, f"{what}: exit code {done.returncode}: {done.stderr.decode()[-2000:]}")
    if done.returncode != 0:
        return
    table = json.loads(done.stdout)["D1"]
    pattern = table["pattern"]
    check(counts is None or pattern["count"] in counts, f"{what}: {pattern}, not {counts}")
    check(pattern["count"] != 0 or (table["notes"] and not table["rows"]), f"{what}: no iterations and no note, or rows")
    check(pattern["count"] < 4 or counts != [0], f"{what}: an invented loop")
    check(pattern["count"] not in (2, 3) or pattern["confidence"] < 0.8, f"{what}: {pattern} of few iterations")
    spans = run(trace, "-a", "A10,A15", "--model-span", "iterations", *method)
    check(spans.returncode == (0 if pattern["count"] else 2), f"{what}: as evaluations: {spans.returncode}, {spans.stderr.decode()[-2000:]}")
    if spans.returncode == 2:
        lines = spans.stderr.decode().splitlines()
        check(lines[0].startswith("xsp-report: error: ") and len(lines) <= 2, f"{what}: as evaluations: {lines}")


def check_options(trace):
    wrong = [["--iterations", "0"], ["--iterations", "-1"], ["--iterations", "x"], ["--iterations", ""], ["--iterations", "3,4"],
             ["--iterations", "3,"], ["--iterations", "1e3"], ["--iterations", "99999999999999999999"], ["--mining", "none"],
             ["--unmatched", "-1", "--mining", "suffix-tree"], ["--unmatched", "x", "--mining", "suffix-tree"],
             ["--unmatched", "3"]]  # fmt: skip
    for options in wrong:
        done = run(trace, "-a", "D1", *options)
        lines = done.stderr.decode().splitlines()
        check(done.returncode == 2, f"{options}: exit code {done.returncode}")
        check(lines and lines[0].startswith("xsp-report: ") and len(lines) <= 2, f"{options}: {lines}")
    for options in (["--iterations", "1000000"], ["--iterations", "20"], ["--iterations", "1000000", "--mining", "suffix-tree"],
                    ["--iterations", "20", "--mining", "suffix-tree", "--unmatched", "0"],
                    ["--iterations", "20,20", "--mining", "suffix-tree"], ["--mining", "suffix-tree", "--unmatched", "1000000"],
                    ["--iterations", "1", "--mining", "suffix-tree"], ["--iterations", "1"],
                    ["--iterations", "4294967295", "--mining", "suffix-tree"]):  # fmt: skip
        done = run(trace, "-a", "D1,D2,D4", *options)
        check(done.returncode == 0, f"{options}: exit code {done.returncode}: {done.stderr.decode()[-2000:]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace, profile = os.path.join(folder, "trace.pb"), os.path.join(folder, "profile.json")

        def make(name, operations, configurations=True):
            write_profile(operations, profile, configurations=configurations)
            done = subprocess.run([IMPORT, "-q", "-f", "-o", trace, profile], stderr=subprocess.PIPE)
            check(done.returncode == 0, f"{name}: xsp-import: {done.returncode}, {done.stderr.decode()}")

        for name, operations, counts in CASES:
            for configurations in (True, False) if name in WITHOUT_CONFIGURATIONS else (True,):
                make(name, operations, configurations)
                check_answer(name, trace, counts, [])
                check_answer(name, trace, None, ["--mining", "suffix-tree"])
                check_answer(name, trace, None, ["--mining", "suffix-tree", "--iterations", "20"])
        make("options", loop(20))
        check_options(trace)
    if failures:
        sys.exit("\n".join(failures))


main()
