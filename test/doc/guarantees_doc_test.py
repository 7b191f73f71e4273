#!/usr/bin/env python3
"""Every test that doc/guarantees.md names is there, and every guarantee names one.

guarantees_doc_test.py SOURCE_ROOT
"""

import pathlib
import re
import sys


def problems_of(root):
    """What is wrong with the rows of the tables of guarantees, whose first head is What, and how many tests they name. A row's last cell names tests:
    files below test/ as `e2e/name.py`, with a case of theirs in quotation marks behind it where one file has many."""
    problems, named = [], 0
    is_guarantee = False
    for line in pathlib.Path(root, "doc/guarantees.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("|") or line.startswith("| What |"):
            is_guarantee = line.startswith("| What |")
            continue
        if not is_guarantee or line.startswith("|--"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        tests = re.findall(r"`([^`]+\.(?:py|cc))`((?: “[^”]+”)*)", cells[-1])
        if not tests:
            problems.append(f"no test shows: {cells[0]}")
        for name, cases in tests:
            named += 1
            path = pathlib.Path(root, "test", name)
            if not path.exists():
                problems.append(f"{cells[0]}: there is no test/{name}")
                continue
            text = path.read_text(encoding="utf-8")
            problems += [f"{name} has no case “{case}”" for case in re.findall("“([^”]+)”", cases) if case not in text]
    return problems, named


def main():
    problems, named = problems_of(sys.argv[1])
    if named < 30:
        problems.append(f"only {named} tests found in doc/guarantees.md: has its form changed?")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{named} tests")


if __name__ == "__main__":
    main()
