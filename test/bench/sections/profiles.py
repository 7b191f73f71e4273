"""Profiles of other tools made into a trace, next to HolisticTraceAnalysis reading the same file."""

import os
import re
import sys

MEGABYTES = "300"


def profiles(bench, figures, options):
    figures.section = "import"
    program = bench.path("import", "xsp-import")
    output = bench.temporary("import.pb")
    profile = bench.temporary("profile.json")
    figures.command = f"xsp-import of kineto_profile.py {MEGABYTES}"
    bench.output([sys.executable, bench.source("test", "bench", "kineto_profile.py"), MEGABYTES, profile])
    runs = [bench.used([program, "-f", "-o", output, profile]) for _ in range(3)]
    seconds = min(run[0] for run in runs)
    memory = max(run[1] for run in runs)
    counts = re.search(r"([\d,]+) spans, ([\d,]+) executions", runs[0][2])
    spans = sum(int(count.replace(",", "")) for count in counts.groups())
    figures.at_least("Kineto JSON into a trace, of one core", os.path.getsize(profile) / 1e6 / seconds, 150, "MB/s")
    figures.at_most("its memory a span", memory / spans, 100, "bytes", f"of {spans / 1e6:.1f} M")
    os.remove(profile)
    beside_hta(bench, figures, program, output)


def beside_hta(bench, figures, program, output):
    data = os.environ.get("XSP_SHARED_DATA", bench.source("..", "shared", "data"))
    python = os.environ.get("XSP_HTA_PYTHON", bench.path("python", "hta", "bin", "python"))
    folder = os.path.join(data, "kineto")
    if not os.path.isdir(folder):
        figures.leave_out("HolisticTraceAnalysis", "no recordings (XSP_SHARED_DATA names their folder)")
        return
    if not os.path.exists(python):
        figures.leave_out("HolisticTraceAnalysis", "scripts/setup --frameworks all installs it")
        return
    largest = max((os.path.join(folder, name) for name in os.listdir(folder)), key=os.path.getsize)
    figures.command = "xsp-import FILE; test/analysis/support/hta_figures.py --read FILE"
    ours, memory, _ = min(bench.used([program, "-f", "-o", output, largest]) for _ in range(5))
    theirs, their_memory, _ = bench.used([python, bench.source("test", "analysis", "hta_figures.py"), "--read", largest])
    figures.at_least("HolisticTraceAnalysis reading the same file / import", theirs / ours, 20, "", "CPU time of whole processes")
    figures.at_most("memory of the import / its", memory / their_memory, 0.1)
