#!/usr/bin/env python3
"""How many spans full rings drop: of bursts and of streams of 4 million a second, alone and beside programs that want the
processor of the sender and the collector. Several builds are measured in turn, round after round:

    test/bench/lost_records.py [--rounds N] BUILD…      build folders; the first one needs xsp-report

The recording thread has the last processor to itself (real-time priority, where the user may), all else the others.
"""

import argparse
import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True

from sections.programs import Programs  # noqa: E402

# Spans of the C API take a record, library calls two.
WORKLOADS = {
    "bursts of 8,000 spans": (["--bursts", "60", "--spans", "8000"], ["--api-alone"]),
    "bursts of 8,000 calls": (["--bursts", "60", "--spans", "8000"], []),
    "spans, 4 M a second": (["--bursts", "12", "--spans", "100000", "--pace-us", "20"], ["--api-alone"]),
    "calls, 4 M a second": (["--bursts", "12", "--spans", "100000", "--pace-us", "20"], []),
}
RECORDED = ("api_span", "library_call", "gemm")
HOGS = 2  # a processor


class Hogs:
    """Programs that never sleep, on all processors but the last."""

    def __init__(self, count):
        others = sorted(os.sched_getaffinity(0))[:-1]
        spin = "while True: pass"
        self.processes = [
            subprocess.Popen(["taskset", "-c", str(processor), sys.executable, "-c", spin]) for processor in others for _ in range(count)
        ]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def share_lost(build, report, workload):
    """Spans and the share of them that was dropped, in percent."""
    options, last_option = WORKLOADS[workload]
    processor = max(os.sched_getaffinity(0))
    pinned = ["--cpu", str(processor), *(["--fifo", "50"] if os.geteuid() == 0 else [])]
    command, trace = build.xsp_run(build.path("test", "bench", "span_cost_xsp"), *options, *pinned, *last_option)
    figures = build.figures_of(command)
    issued = sum(subject["recorded"] for name, subject in figures.items() if name in RECORDED)
    lost = issued - report.quality(trace)["spans"]
    gemm = figures.get("gemm", figures["api_span"])
    return 100 * lost / issued, gemm["p99.99"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("builds", nargs="+", metavar="BUILD")
    options = parser.parse_args()
    builds = [Programs(build) for build in options.builds]
    for build in builds:
        build.say = lambda text: None
    print(f"load at the start {os.getloadavg()[0]:.1f}; dropped, in percent: median of {options.rounds} (least to most); p99.99 of a span, ns")
    for hogs in (0, HOGS):
        for workload in WORKLOADS:
            shares = {build: [] for build in builds}
            for _ in range(options.rounds):
                for build in builds:
                    with Hogs(hogs):
                        shares[build].append(share_lost(build, builds[0], workload))
            for build, values in shares.items():
                lost = [value[0] for value in values]
                tail = statistics.median(value[1] for value in values)
                print(
                    f"{workload:24}{hogs} other programs  {build.build}: {statistics.median(lost):7.3f} ({min(lost):.3f} to {max(lost):.3f}); {tail:.0f}",
                    flush=True,
                )
    for build in builds:
        build.close()


if __name__ == "__main__":
    main()
