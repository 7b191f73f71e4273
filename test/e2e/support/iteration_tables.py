"""D1 to D4 as rows, and what they have to say about a planned run (iteration_plans.py), recomputed here from the trace."""
import math
from collections import Counter

from .xsp_e2e import check, check_equal, report


def rows_of(tables, name):
    columns = [column["name"] for column in tables[name]["columns"]]
    return [dict(zip(columns, row)) for row in tables[name]["rows"]]


def loops_of(tables):
    """Rows of D1 by (level, loop)."""
    loops = {}
    for row in rows_of(tables, "D1"):
        loops.setdefault((row["level"], row["loop"]), []).append(row)
    return loops


def found_diagnoses(tables):
    return sorted(row["diagnosis"] for row in rows_of(tables, "D4") if row["found"])


def diagnosis(tables, name):
    """The row of the only loop, and the iterations that it is about."""
    (row,) = (row for row in rows_of(tables, "D4") if row["diagnosis"] == name)
    return row, [int(number) for number in (row["iterations"] or "").split(",") if number]


def check_iterations(run, rows, steps, what, pid=None, exact=True):
    """Checks that the rows are the steps: as many, each with its operations, each begun where the program began it; if
    not `exact`, within one operation of that."""
    check_equal(len(rows), len(steps), f"{what}: iterations")
    operations = run.operations[pid or next(iter(run.operations))]
    first = operations[0].begin
    begins = [o.begin for o in operations]
    for number, (row, step) in enumerate(zip(rows, steps)):
        where = f"{what}: iteration {number} {row}"
        begin = round(row["start_ms"] * 1e6) + first
        if exact:
            check(abs(begin - step.begin) <= 1, f"{where}: begins {begin - step.begin} ns from step {step.number}")
            check(abs(round(row["end_ms"] * 1e6) + first - step.end) <= 1, f"{where}: its end")
            check_equal(row["operations"], len(step.operations), f"{where}: operations")
        else:
            at = begins.index(step.begin)
            near = begins[max(at - 1, 0) : at + 2]
            check(near[0] - 1 <= begin <= near[-1] + 1, f"{where}: begins {begin - step.begin} ns from step {step.number}")


def check_pattern(tables, count, what, length=None, least_confidence=0.9):
    pattern = tables["D1"]["pattern"]
    check_equal(pattern["count"], count, f"{what}: count of the pattern {pattern}")
    check(least_confidence <= pattern["confidence"] <= 1, f"{what}: confidence of the pattern {pattern}")
    check(0 < pattern["coverage"] <= 1, f"{what}: coverage of the pattern {pattern}")
    if length is not None:
        check_equal(pattern["length"], length, f"{what}: length of the pattern")


def check_no_loop(tables, what):
    check_equal(rows_of(tables, "D1"), [], f"{what}: iterations where nothing repeats")
    check_equal(tables["D1"]["pattern"]["count"], 0, f"{what}: count")
    check(tables["D1"]["notes"], f"{what}: a note says why")


def union(spans):
    """Total length of intervals, overlaps once."""
    total, reached = 0, -math.inf
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def clipped(operations, begin, end):
    return [(max(o.begin, begin), min(o.end, end)) for o in operations if o.begin < end and o.end > begin]


def mean(values):
    return sum(values) / len(values) if values else None


def metrics_of(operations, steps):
    """D2 of a loop that has all steps, by the definitions of doc/iterations.md; times in ms."""
    host_copies = [o for o in operations if o.is_host_copy]
    kernels = [o for o in operations if not o.is_host_copy]
    to_device = [o for o in host_copies if o.name == "HtoD"]
    intervals, overlaps, sizes, gap_sum, gap_count = [], [], [], 0, 0
    shares = Counter()
    for before, step in zip([None, *steps], steps):
        if before is not None:
            interval = max(0, step.begin - before.end)
            intervals.append(interval)
            if interval:
                overlaps.append(union(clipped(to_device, before.end, step.begin)) / interval)
        sizes.append(sum(o.bytes for o in step.operations if o.name == "HtoD"))
        inside = [o for o in operations if step.begin <= o.begin and o.end <= step.end]
        reached = step.begin
        for o in sorted(inside, key=lambda o: o.begin):
            gap_sum += max(0, o.begin - reached)
            reached = max(reached, o.end)
        gap_count += len(inside) - 1
        compute = union(clipped(kernels, step.begin, step.end))
        copy = union(clipped(host_copies, step.begin, step.end))
        either = union(clipped(operations, step.begin, step.end))
        shares.update(compute=compute, copy=copy, both=compute + copy - either, idle=step.end - step.begin - either)
    whole = sum(intervals) + sum(step.end - step.begin for step in steps)
    return {
        "avg_interval": mean(intervals) / 1e6,
        "max_interval": max(intervals) / 1e6,
        "avg_overlap": mean(overlaps),
        "avg_operation": gap_sum / gap_count / 1e6,
        "avg_size": mean(sizes),
        "iterations": len(steps),
        "avg_iteration": mean([step.end - step.begin for step in steps]) / 1e6,
        "interval_pct": 100 * sum(intervals) / whole,
        **{f"{name}_pct": 100 * shares[name] / whole for name in ("compute", "copy", "both", "idle")},
    }


def check_metrics(row, expected, what):
    for name, value in expected.items():
        close = row[name] is not None and abs(row[name] - value) <= 1e-9 * max(1, abs(value))
        check(close, f"{what}: {name} of D2\n  expected: {value!r}\n  got:      {row[name]!r}")


def check_host_iterations(done, level, least_operations):
    """For a program without a device that prints when each of its steps began and ended: checks that one iteration begins
    in each, and that all have equally many operations."""
    steps = [tuple(map(int, line.split())) for line in done.stdout.decode().splitlines()]
    tables = report(done.path, "-a", "D1,D4")
    rows = [row for row in rows_of(tables, "D1") if row["level"] == 0]
    check_pattern(tables, len(steps), level)
    check_equal(len(rows), len(steps), f"{level}: iterations")
    first = min(span.begin for span in done.trace.spans if span.level == level)
    for number, (row, (begin, end)) in enumerate(zip(rows, steps)):
        where = f"{level}: iteration {number} {row}"
        begins, ends = (first + round(row[column] * 1e6) for column in ("start_ms", "end_ms"))
        check(begin <= begins <= ends <= end, f"{where} is not in its step, {begin - first} to {end - first} ns")
        check(row["operations"] >= least_operations, f"{where}: operations")
        check_equal((row["operations"], row["deviations"]), (rows[0]["operations"], 0), f"{where}: operations, deviations")
