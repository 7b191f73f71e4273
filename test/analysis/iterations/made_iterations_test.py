"""Iterations of recordings that are put together of real operations (made_iterations.py) are found as they were made:
made_iterations_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT [SEEDS [KIND...]]. Of each kind a share has to be right; with SEEDS
it makes as many of each and prints a table of what is right, and what is not. Skipped where the recordings are not at hand.
"""
import bisect
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import made_iterations  # noqa: E402
from imported_trace import shared_data, skip  # noqa: E402

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]


def reported(case, folder):
    """Tables of each process, as rows."""
    profiles = []
    for rank, operations in enumerate(case.processes):
        profiles.append(os.path.join(folder, f"{rank}.json"))
        made_iterations.write_profile(operations, profiles[-1], rank if len(case.processes) > 1 else None)
    trace = os.path.join(folder, "trace.pb")
    subprocess.run([IMPORT, "-q", "-f", "-o", trace, *profiles], check=True, stderr=subprocess.DEVNULL)
    of_processes = []
    for rank in range(len(case.processes)):
        choice = ["--process", f"rank{rank}"] if len(case.processes) > 1 else []
        output = subprocess.run([REPORT, trace, "-q", "-a", "D1,D4", "--format", "json", *choice], stdout=subprocess.PIPE)
        if output.returncode != 0:
            return output.returncode
        report = json.loads(output.stdout)
        for table in ("D1", "D4"):
            names = [column["name"] for column in report[table]["columns"]]
            report[table]["rows"] = [dict(zip(names, row)) for row in report[table]["rows"]]
        of_processes.append(report)
    return of_processes


def counts_of(rows, level):
    counts = {}
    for row in rows:
        if row["level"] == level:
            counts[row["loop"]] = counts.get(row["loop"], 0) + 1
    return tuple(counts[loop] for loop in sorted(counts))


def misplaced(case, rows):
    """How many steps have no iteration that begins with them."""
    if not case.begins:
        return 0
    begins = sorted(round(o.begin * 1000) for o in case.processes[0])
    places = sorted(bisect.bisect_left(begins, begins[0] + round(row["start_ms"] * 1e6) - 1) for row in rows if row["level"] == 0)
    wrong = 0
    for begin in case.begins:
        at = bisect.bisect_left(begins, round(begin * 1000) - 1)
        near = bisect.bisect_left(places, at - case.slack)
        wrong += near == len(places) or places[near] > at + case.slack
    return wrong


def faults_of(case, folder):
    """What is wrong, by what it is of."""
    wrong = {}
    reports = reported(case, folder)
    if isinstance(reports, int):
        return {"exit": f"code {reports}"}
    for rank, report in enumerate(reports):
        rows = report["D1"]["rows"]
        counts = counts_of(rows, 0)
        if counts not in case.counts:
            wrong["count"] = f"{counts} for {case.counts}, confidence {report['D1']['pattern']['confidence'] or 0:.2f}"
        elif rank == 0 and misplaced(case, rows) > (1 - case.least_begins) * len(case.begins) + 1e-9:
            wrong["begins"] = f"{misplaced(case, rows)} of {len(case.begins)} steps"
        if case.inner and sum(counts_of(rows, 1)) not in case.inner:
            wrong["inner"] = f"{sum(counts_of(rows, 1))} for {case.inner}"
        found = {row["diagnosis"] for row in report["D4"]["rows"] if row["found"]}
        if case.found is not None and found != case.found:
            wrong["diagnosis"] = f"{sorted(found)} for {sorted(case.found)}"
    return wrong


# How many of the first two of each kind have to be right where not both are.
LEAST = {"buckets": 0, "cut": 1, "prefetch": 0, "turns": 1}


def examine(cases, kind, seeds):
    """What is wrong with each."""
    every = []
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            every.append(faults_of(cases.make(kind, seed), folder))
    return every


def described(seed, wrong):
    return f"    seed {seed}: " + "; ".join(f"{what}: {text}" for what, text in wrong.items())


def print_table(cases, seeds, kinds):
    print(f"{'kind':16} cases  right  exit  count  begins  inner  diagnosis")
    for kind in kinds:
        every = examine(cases, kind, seeds)
        numbers = [sum(what in wrong for wrong in every) for what in ("exit", "count", "begins", "inner", "diagnosis")]
        right = sum(not wrong for wrong in every)
        columns = zip((5, 5, 4, 5, 6, 5, 9), [len(every), right, *numbers])
        print(f"{kind:16} " + "  ".join(f"{number:{width}}" for width, number in columns))
        print("".join(described(seed, wrong) + "\n" for seed, wrong in zip(seeds, every) if wrong), end="", flush=True)


def main():
    recordings = made_iterations.Recordings(shared_data(ROOT))
    if not recordings.there:
        skip(f"no recordings in {recordings.data}")
    cases = made_iterations.Cases(recordings)
    if len(sys.argv) > 4:
        return print_table(cases, range(int(sys.argv[4])), sys.argv[5:] or cases.kinds)
    failures = []
    for kind in cases.kinds:
        every = examine(cases, kind, range(2))
        wrong = [described(seed, wrong) for seed, wrong in enumerate(every) if wrong]
        if len(every) - len(wrong) < LEAST.get(kind, 2):
            failures += [kind, *wrong]
    if failures:
        sys.exit("\n".join(failures))


main()
