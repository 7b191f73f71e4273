#!/usr/bin/env python3
"""check_includes.py FILE...: a stage includes its own headers and those of proto/, tests include anything.

Data flows one way through the stages (doc/design.md); an include across would tie two of them together.
"""
import re
import sys
from pathlib import Path

STAGES = ("proto", "inject", "collector", "analysis")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def wrong_includes(path):
    stage = Path(path).parts[0]
    if stage not in STAGES:
        return
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        top = Path(target).parts[0]
        if top == "..":
            yield number, target, "goes out of its folder"
        elif (top in STAGES or top == "test") and top not in (stage, "proto"):
            yield number, target, f"{stage}/ must not include {top}/"


def main():
    found = 0
    for path in sys.argv[1:]:
        for number, target, why in wrong_includes(path):
            print(f'{path}:{number}: #include "{target}": {why}')
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
