"""Occupancy in R1 is what PyTorch's profiler wrote into its recordings, kernel by kernel, and the sums are those of the
recordings: waves_against_kineto_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT. Skipped where the recordings are not at hand.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
FOLDER = os.path.join(os.environ.get("XSP_SHARED_DATA", ROOT + "/../shared/data"), "kineto")
# The profiler computes with the 48 KiB of shared memory that a block has without asking for more: above, it writes 0.
MOST_SHARED = 48 * 1024
# The profiler rounds to whole percents.
TOLERANCE = 1.0

# Kernels that are compared, kernels above MOST_SHARED, share of kernel time below one wave, share of idle slots.
EXPECTED = {
    "resnet50_v100_workers0_a": (8772, 0, 21.1, 19.9),
    "hta_simple_add": (73, 6, None, None),
    "tl_vit_h100": (80, 74, None, None),
}


def check(condition, message):
    if not condition:
        sys.exit(message)


def product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


def waves(folder, profile):
    trace = os.path.join(folder, "trace.pb")
    subprocess.run([IMPORT, "-q", "-f", "-o", trace, profile], check=True, stdin=subprocess.DEVNULL)
    command = [REPORT, trace, "-a", "R1", "--per", "trace", "--top", "0", "-q", "--format", "json"]
    table = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["R1"]
    columns = [column["name"] for column in table["columns"]]
    return [dict(zip(columns, row)) for row in table["rows"]]


def compare(name, folder):
    path = os.path.join(FOLDER, name + ".json.gz")
    with gzip.open(path) as file:
        events = json.load(file)["traceEvents"]
    kernels = [event for event in events if str(event.get("cat", "")).lower() == "kernel" and "dur" in event]
    rows = waves(folder, path)
    check(len(rows) == len(kernels), f"{name}: {len(rows)} rows of R1, {len(kernels)} kernels")

    # Kernels that are alike in all of this have the same registers and shared memory, or differ in nothing that matters.
    theirs, ours = defaultdict(list), defaultdict(list)
    left_out = 0
    for kernel in kernels:
        args = kernel["args"]
        key = (kernel["name"], args["stream"], round(1000 * kernel["dur"]), product(args["grid"]), product(args["block"]))
        comparable = args["shared memory"] <= MOST_SHARED
        left_out += not comparable
        theirs[key].append(args["est. achieved occupancy %"] if comparable else None)
    for row in rows:
        key = (row["kernel_name"], row["stream"], round(1e6 * row["latency_ms"]), row["grid_blocks"], row["block_threads"])
        ours[key].append(row["occupancy_est_pct"])
        check(row["waves"] is not None, f"{name}: no waves of {row}")
    check(set(theirs) == set(ours), f"{name}: other kernels: {list(set(theirs) ^ set(ours))[:2]}")
    compared = 0
    for key, values in theirs.items():
        check(len(values) == len(ours[key]), f"{name}: {len(values)} of {key}, {len(ours[key])} in R1")
        if None in values:
            check(set(values) == {None}, f"{name}: kernels that are alike have other shared memory: {key}")
            continue
        for their, our in zip(sorted(values), sorted(ours[key])):
            check(abs(their - our) <= TOLERANCE, f"{name}: {our} % instead of {their} %: {key}")
            compared += 1

    total = sum(row["latency_ms"] for row in rows)
    below = 100 * sum(row["latency_ms"] for row in rows if row["waves"] < 1) / total
    idle = 100 * sum(row["tail_ms"] for row in rows) / total
    expected = EXPECTED[name]
    check((compared, left_out) == expected[:2], f"{name}: {compared} compared, {left_out} left out, not {expected[:2]}")
    for what, got, known in [("below one wave", below, expected[2]), ("idle slots", idle, expected[3])]:
        check(known is None or abs(got - known) < 0.05, f"{name}: {got:.2f} % {what} instead of {known} %")
    print(f"{name}: {compared} of {len(rows)} kernels agree; {below:.1f} % below one wave, {idle:.1f} % idle slots")


missing = [name for name in EXPECTED if not os.path.exists(os.path.join(FOLDER, name + ".json.gz"))]
if missing:
    print(f"skipped: {FOLDER} lacks {missing[0]}.json.gz (XSP_SHARED_DATA names its parent)")
    sys.exit(77)
for profile_name in EXPECTED:
    with tempfile.TemporaryDirectory() as temporary:
        compare(profile_name, temporary)
