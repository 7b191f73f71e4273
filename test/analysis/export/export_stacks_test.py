"""What pprof, folded stacks and speedscope add up to is what the tables say: export_stacks_test.py XSP_IMPORT XSP_REPORT
SOURCE_ROOT. pprof's own program reads the profile, where Go is installed.
"""
import collections
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from exported_profiles import *  # noqa: E402

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]


def is_near(sum_ns, table_ns):
    return abs(sum_ns - table_ns) <= 2


def check_evented(profile, frames):
    """Speedscope's rules: events in order of time, closes that match their opens."""
    open_frames, last = [], profile["startValue"]
    for event in profile["events"]:
        check(event["at"] >= last, "events go back")
        check(0 <= event["frame"] < frames, "frame that is not there")
        last = event["at"]
        if event["type"] == "O":
            open_frames.append(event["frame"])
        else:
            check(open_frames and open_frames.pop() == event["frame"], "close of another frame")
    check(not open_frames and last <= profile["endValue"], "events behind the end, or not closed")


with tempfile.TemporaryDirectory() as folder:
    for path in recordings(ROOT, ["tl_vit_h100", "resnet50_v100_workers0_a", "hta_cpu_only"]):
        name, trace = os.path.basename(path), os.path.join(folder, "t.pb")
        folded, pprof, speedscope = [os.path.join(folder, file) for file in ("t.folded", "t.pb.gz", "t.speedscope.json")]
        run(IMPORT, "-f", "-q", "-o", trace, path)
        run(REPORT, "-q", trace, "--export", "folded=" + folded, "--export", "pprof=" + pprof,
            "--export", "speedscope=" + speedscope)  # fmt: skip
        kernels = total_ns(rows(REPORT, trace, "A15"), "kernel_latency_ms")
        by_kernel = collections.Counter()
        for line in open(folded, encoding="utf-8"):
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            by_kernel[stack.split(";")[-1]] += int(value)
        check(is_near(sum(by_kernel.values()), kernels), f"{name}: folded {sum(by_kernel.values())}, A15 {kernels}")
        for row in rows(REPORT, trace, "A10"):
            own, table = by_kernel[row["kernel_name"].replace(";", ",")], float(row["latency_ms"]) * 1e6
            check(abs(own - table) <= len(by_kernel), f"{name}: {row['kernel_name']}: folded {own}, A10 {table}")
        page = json.load(open(speedscope, encoding="utf-8"))
        check(page["$schema"] == "https://www.speedscope.app/file-format-schema.json", "schema")
        for profile in page["profiles"]:
            if profile["type"] == "evented":
                check_evented(profile, len(page["shared"]["frames"]))
            else:
                check(profile["endValue"] == sum(profile["weights"]), "weights do not add up to the end")
                check(len(profile["weights"]) == len(profile["samples"]), "a weight for each sample")
        sampled = sum(sum(p["weights"]) for p in page["profiles"] if p["type"] == "sampled")
        check(is_near(sampled, kernels), f"{name}: speedscope {sampled}, A15 {kernels}")
        if shutil.which("go") is None:
            print(f"{name}: folded stacks and speedscope agree with the tables; no Go, so that pprof was not asked")
            continue
        sums = [0] * 5
        for line in run("go", "tool", "pprof", "-raw", pprof).splitlines():
            values = re.match(r"\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+):", line)
            if values:
                sums = [a + int(b) for a, b in zip(sums, values.groups())]
        check(is_near(sums[0], kernels), f"{name}: pprof {sums[0]}, A15 {kernels}")
        hosts = total_ns(rows(REPORT, trace, "A2"), "host_ms") if kernels else 0
        check(not kernels or is_near(sums[1], hosts), f"{name}: pprof's host time {sums[1]}, A2 {hosts}")
        count = sum(int(row["count"]) for row in rows(REPORT, trace, "A10"))
        check(sums[2] == count, f"{name}: pprof has {sums[2]} launches, A10 {count} kernels")
        flops = sum(float(row["gflops"]) for row in rows(REPORT, trace, "A15") if row["gflops"]) * 1e9
        check(abs(sums[3] - flops) <= 1e-9 * flops + 1, f"{name}: pprof has {sums[3]} flops, A15 {flops}")
        top = run("go", "tool", "pprof", "-top", "-nodecount=1", "-sample_index=gpu_time", pprof)
        if kernels:
            longest = rows(REPORT, trace, "A10")[0]["kernel_name"]
            check(longest in top, f"{name}: the longest kernel of A10 is not that of pprof:\n{top}")
        print(f"{name}: pprof, folded stacks and speedscope agree with the tables")
