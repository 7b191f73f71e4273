"""Iterations are found in recordings of real programs: iterations_on_recordings_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT.
Exactly as many as their READMEs say, and between the annotations of PyTorch's profiler, which the miner does not look at.
Skipped where the recordings are not at hand.
"""
import bisect
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from imported_trace import shared_data, skip  # noqa: E402

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
DATA = shared_data(ROOT)
WORK = (("kernel",), ("memcpy", "gpu_memcpy"), ("memset", "gpu_memset"))
failures = []


def check(got, expected, what):
    if got != expected:
        failures.append(f"{what}\n  expected: {expected}\n  got:      {got}")


def path_of(name):
    for folder, suffix in [("kineto", ".json.gz"), ("nsys", ".sqlite.gz")]:
        path = os.path.join(DATA, folder, name + suffix)
        if os.path.exists(path):
            return path
    return None


def imported(name, folder):
    trace = os.path.join(folder, name + ".pb")
    subprocess.run([IMPORT, path_of(name), "-o", trace, "-q"], check=True)
    return trace


def tables(trace, *arguments):
    output = subprocess.run([REPORT, trace, "--format", "json", *arguments], check=True, capture_output=True, text=True)
    report = json.loads(output.stdout)
    for table in report.values():
        if "columns" in table:
            names = [column["name"] for column in table["columns"]]
            table["rows"] = [dict(zip(names, row)) for row in table["rows"]]
    return report


def iterations_of(trace, *arguments):
    table = tables(trace, "-a", "D1", *arguments)["D1"]
    outermost = [row for row in table["rows"] if row["loop"] == 0]
    return table["pattern"], outermost


def check_nsys(folder):
    # Before model17's first iteration stand copies of weights; it lacks the pattern's first operation.
    for name, length in [("mxnet_v100_model11_b1", 28), ("mxnet_v100_model17_b1", 288)]:
        trace = imported(name, folder)
        pattern, rows = iterations_of(trace)
        check(pattern["length"], length, f"{name}: operations of an iteration")
        check((pattern["count"], len(rows)), (10, 10), f"{name}: iterations")
        main, rows = iterations_of(trace, "--mining", "suffix-tree", "--iterations", "10")
        check((main["count"], len(rows)), (10, 10), f"{name}: iterations by the paper's method")
        sums = tables(trace, "-a", "A1,A10,A11,A15", "--model-span", "iterations")
        check(sums["A15"]["rows"][0]["kernel_count"], length, f"{name}: kernels of an iteration as an evaluation")
        for table in ("A10", "A11"):
            total = sum(row.get("count", row.get("kernel_count")) for row in sums[table]["rows"])
            check(total, length, f"{name}: kernels in {table}")


def operations_by_step(name):
    """Begins of work in µs, in order, and the number of the first one launched in each ProfilerStep."""
    with gzip.open(path_of(name)) as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and "dur" in e]
    steps = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["name"].startswith("ProfilerStep#")
                   and e.get("cat", "").lower() in ("operator", "cpu_op", "user_annotation"))  # fmt: skip
    launches = {e["args"]["correlation"]: e["ts"] for e in events
                if e.get("cat", "").lower() in ("runtime", "cuda_runtime") and "correlation" in e.get("args", {})}  # fmt: skip
    kinds = [kind for kinds in WORK for kind in kinds]
    work = sorted((e["ts"], launches.get(e["args"].get("correlation"))) for e in events if e.get("cat", "").lower() in kinds)
    first = []
    for begin, end in steps:
        first.append(next(i for i, (_, launched) in enumerate(work) if launched is not None and begin <= launched < end))
    return [ts for ts, _ in work], first


def check_steps(folder):
    name = "resnet50_v100_workers0_a"
    trace = imported(name, folder)
    pattern, rows = iterations_of(trace)
    begins, first_of_step = operations_by_step(name)
    check((pattern["count"], len(rows)), (len(first_of_step), len(first_of_step)), f"{name}: as many iterations as steps")
    place = 0
    for row, first in zip(rows, first_of_step):
        # An iteration begins behind the copies from the host that stand at its begin.
        at = bisect.bisect_left(begins, begins[0] + row["start_ms"] * 1000 - 0.5)
        copies = at - first
        check(-1 <= copies <= 3, True, f"{name}: iteration {row['iteration']} begins at work {at}, its step at {first}")
        place += row["operations"]
    check(place, len(begins), f"{name}: work of all iterations")
    by_step = tables(trace, "-a", "A1,A15")
    by_iteration = tables(trace, "-a", "A1,A15", "--model-span", "iterations")
    kernels = [report["A15"]["rows"][0]["kernel_count"] for report in (by_step, by_iteration)]
    check(kernels, [1462, 1462], f"{name}: kernels of a step, and of an iteration")


def print_others(folder):
    for name in ("h100_2gpu_1s", "hta_sampled_rank0", "hta_simple_add", "hta_triton", "hta_cpu_only", "tl_vit_h100"):
        if path_of(name) is not None:
            pattern, rows = iterations_of(imported(name, folder))
            print(f"{name}: {pattern}, {len(rows)} iterations in the first loop")


def main():
    if path_of("mxnet_v100_model11_b1") is None or path_of("resnet50_v100_workers0_a") is None:
        skip(f"no recordings in {DATA}")
    with tempfile.TemporaryDirectory() as folder:
        check_nsys(folder)
        check_steps(folder)
        print_others(folder)
    if failures:
        sys.exit("\n".join(failures))


main()
