"""A floor calls nothing above it: floors_link_test.py SOURCE_ROOT BUILD_ROOT.

check_includes.py sees headers. What is declared in one folder and defined in another shows only in the libraries: of
each floor's library every undefined symbol must be defined in itself, below it, or outside of the stage.
"""
import subprocess
import sys
from collections import Counter
from pathlib import Path

PREFIX = {"inject": "guest", "collector": "collector", "import": "import", "analysis": "analysis"}

# inject/record/upward_calls.h: the one table by which the floors of the guest reach lifecycle.
MEANT = {"inject": {"_ZN3xsp5guest12upward_callsE"}}


def floors(stage):
    lines = (stage / "floors.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def symbols(library):
    """(defined, undefined) names of a static library."""
    output = subprocess.run(["nm", "--format=posix", library], capture_output=True, text=True, check=True).stdout
    defined, undefined = set(), set()
    for line in output.splitlines():
        fields = line.split()
        if len(fields) < 2 or len(fields[1]) != 1:
            continue
        name, kind = fields[0], fields[1]
        if kind == "U":
            undefined.add(name)
        elif kind not in "wv" and not kind.islower():
            defined.add(name)
    return defined, undefined - defined


def upward(stage, prefix, build):
    """Sentences about the symbols that a floor takes from above, and how many libraries were looked at."""
    found = []
    for floor in floors(stage):
        library = build / stage.name / f"lib{prefix}_{floor.replace('/', '_')}.a"
        if library.exists():
            found.append((floor, *symbols(library)))
    where = {}
    counts = Counter(name for _, defined, _ in found for name in defined)
    for rank, (floor, defined, _) in enumerate(found):
        for name in defined:
            if counts[name] == 1:
                where[name] = (rank, floor)
    wrong = []
    for rank, (floor, _, undefined) in enumerate(found):
        for name in sorted(undefined - MEANT.get(stage.name, set())):
            above, other = where.get(name, (0, ""))
            if above > rank:
                wrong.append(f"{stage.name}/{floor} calls {name} of {other}, which is above it")
    return wrong, len(found)


def main():
    source, build = Path(sys.argv[1]), Path(sys.argv[2])
    wrong = []
    for name, prefix in PREFIX.items():
        if not (source / name / "floors.txt").exists():
            continue
        found, libraries = upward(source / name, prefix, build)
        wrong += found
        if libraries < 2:
            wrong.append(f"{name}: {libraries} libraries of floors in {build / name}: is lib{prefix}_FLOOR.a right?")
        print(f"{name}: {libraries} floors")
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
