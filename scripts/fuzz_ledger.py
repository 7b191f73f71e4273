#!/usr/bin/env python3
"""How long each fuzzer ran: a ledger beside the corpora, and the table of doc/fuzzing.md to which it is added.

  fuzz_ledger.py add LEDGER TARGET SECONDS EXECUTIONS EDGES INPUTS [FOUND]
                                        a run of a target; FOUND: what it failed on, if it did
  fuzz_ledger.py next LEDGER PAGE TARGET…
                                        the target that ran for the least time, by the page and the ledger together
  fuzz_ledger.py table LEDGER PAGE      adds the ledger to the table of the page, and empties it

Seconds are of the processor, so they mean the same on a machine that does other things beside. A ledger has a line for each
run, with tabs between: what was killed while it wrote one leaves a line that is skipped.
"""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

HEADER = "| target | processor seconds | executions | edges | found |"
RULE = "|---|---|---|---|---|"
ROW = re.compile(r"\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|")


@dataclass
class Total:
    """Totals of a target. Edges are those of its last run: they are not added up."""

    seconds: float = 0
    executions: int = 0
    edges: int = 0
    found: int = 0


@dataclass
class Run:
    target: str
    seconds: float
    executions: int
    edges: int
    inputs: int
    found: str


def read_ledger(path):
    runs = []
    if not path.exists():
        return runs
    for line in path.read_text().splitlines(keepends=True):
        parts = line.rstrip("\n").split("\t")
        if len(parts) != 6 or not line.endswith("\n"):
            continue
        target, seconds, executions, edges, inputs, found = parts
        try:
            runs.append(Run(target, float(seconds), int(executions), int(edges), int(inputs), found))
        except ValueError:
            continue
    return runs


def add_run(path, run):
    path.parent.mkdir(parents=True, exist_ok=True)
    found = re.sub(r"\s+", " ", run.found).strip()
    with path.open("a") as ledger:  # one write: targets run concurrently
        ledger.write(f"{run.target}\t{run.seconds:.1f}\t{run.executions}\t{run.edges}\t{run.inputs}\t{found}\n")


def table_lines(text):
    """(lines of the page, first row, one past the last row)."""
    lines = text.splitlines()
    if HEADER not in lines:
        sys.exit(f"fuzz_ledger.py: the page has no table that begins with {HEADER}")
    first = lines.index(HEADER) + 2
    last = first
    while last < len(lines) and lines[last].startswith("|"):
        last += 1
    return lines, first, last


def read_table(text):
    lines, first, last = table_lines(text)
    totals = {}
    for line in lines[first:last]:
        row = ROW.fullmatch(line)
        if row:
            target, *numbers = row.groups()
            totals[target] = Total(*(int(number.replace(",", "")) for number in numbers))
    return totals


def with_table(text, totals):
    lines, first, last = table_lines(text)
    rows = [f"| `{target}` | {of.seconds:,.0f} | {of.executions:,} | {of.edges:,} | {of.found:,} |"
            for target, of in sorted(totals.items())]  # fmt: skip
    every = list(totals.values())
    rows.append(f"| all | {sum(of.seconds for of in every):,.0f} | {sum(of.executions for of in every):,} | "
                f"| {sum(of.found for of in every):,} |")  # fmt: skip
    return "\n".join(lines[:first] + rows + lines[last:]) + "\n"


def add_runs(totals, runs):
    """Adds runs; a failure that several had in common counts once."""
    for run in runs:
        of = totals.setdefault(run.target, Total())
        of.seconds += run.seconds
        of.executions += run.executions
        of.edges = run.edges or of.edges
    for target, _ in {(run.target, run.found) for run in runs if run.found}:
        totals[target].found += 1


def next_target(totals, runs, targets):
    seconds = {target: totals[target].seconds if target in totals else 0 for target in targets}
    for run in runs:
        if run.target in seconds:
            seconds[run.target] += run.seconds
    return min(targets, key=lambda target: (seconds[target], target))


def main(words):
    if len(words) < 3 or words[1] not in ("add", "next", "table"):
        sys.exit(__doc__)
    command, ledger = words[1], Path(words[2])
    if command == "add":
        target, seconds, executions, edges, inputs, *found = words[3:]
        add_run(ledger, Run(target, float(seconds), int(executions), int(edges), int(inputs), " ".join(found)))
        return
    page = Path(words[3])
    totals, runs = read_table(page.read_text()), read_ledger(ledger)
    if command == "next":
        print(next_target(totals, runs, words[4:]))
        return
    add_runs(totals, runs)
    page.write_text(with_table(page.read_text(), totals))
    ledger.unlink(missing_ok=True)
    print(f"{len(runs)} runs were added to {page}")


if __name__ == "__main__":
    main(sys.argv)
