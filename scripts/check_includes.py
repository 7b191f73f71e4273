#!/usr/bin/env python3
"""check_includes.py [--depfile FILE --stamp FILE] [ROOT]: who may include whom.

A stage includes its own headers, those of proto/ and, outside the guest, those of base/; the importer also the floors
that the collector shares with it. Inside a stage the folders are floors in the order of its floors.txt, lowest first: a
folder includes itself and what is below it. The programs of the guest's stage stand apart from it: they include each
other, in that order, and of the guest what it lends them. Tests include
anything. Data flows one way through the stages (doc/design.md); an include across or upwards would tie two of them
together, so the build runs this and fails.

floors.txt: one floor a line, its folder first, then what it is; lines that begin with # are comments.
"""
import argparse
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SUFFIXES = (".cc", ".h", ".c", ".S", ".inc")

# The stages, or single floors of one, that a stage may include besides itself.
ALLOWED = {
    "proto": (),
    "base": ("proto",),
    "inject": ("proto",),
    "collector": ("proto", "base"),
    "import": ("proto", "base", "collector/writing", "collector/formats"),
    "analysis": ("proto", "base"),
    "bound": ("proto", "base", "analysis"),
}


# Folders of a stage that are programs beside it. What they include besides each other: of the stage, and of others.
PROGRAMS = {"inject": ("audit", "launch", "bench")}
LENT = {"inject": ("counters",)}
ALLOWED_TO_PROGRAMS = ("proto", "base")


class Stage:
    """A top-level folder with its floors; without floors.txt it is a single floor."""

    def __init__(self, root, name):
        self.name = name
        self.file = root / name / "floors.txt"
        self.rank = {}
        if self.file.exists():
            lines = [line for line in self.file.read_text().splitlines() if line and not line.startswith("#")]
            self.rank = {line.split()[0]: rank for rank, line in enumerate(lines)}

    def is_program(self, path):
        """Whether a path lies in a program that stands apart from the stage."""
        folder = "/".join(path.parts[1:-1])
        return any(folder == name or folder.startswith(name + "/") for name in PROGRAMS.get(self.name, ()))

    def floor(self, path):
        """The floor of a path below the stage's folder: its deepest folder that floors.txt names. "" for files at the top
        and main.cc, which are above all floors; None for a folder that floors.txt lacks."""
        parts = path.parts[1:-1]
        if not parts or path.name == "main.cc":
            return ""
        return next((name for name in ("/".join(parts[:n]) for n in range(len(parts), 0, -1)) if name in self.rank), None)


def wrong_includes(root, stages, path):
    """(line, included path, reason) for each include of a file that goes across or upwards."""
    stage = stages[path.parts[0]]
    text = (root / path).read_text(errors="replace")
    floor = stage.floor(path)
    if stage.rank and floor is None:
        yield 1, path.as_posix(), f"{stage.file.relative_to(root)} does not name its folder"
        return
    for match in INCLUDE.finditer(text):
        target = Path(match.group(1))
        line = text.count("\n", 0, match.start()) + 1
        other = stages.get(target.parts[0])
        is_program = stage.is_program(path)
        if target.parts[0] == "..":
            yield line, target, "goes out of its folder"
        elif target.parts[0] == "test":
            yield line, target, "is of the tests"
        elif other is None:
            continue
        elif other is not stage:
            allowed = ALLOWED_TO_PROGRAMS if is_program else ALLOWED[stage.name]
            if not any(target.is_relative_to(folder) for folder in allowed):
                yield line, target, f"{stage.name}/{floor} must not include {target.parent}/"
        elif is_program != stage.is_program(target) and not (is_program and stage.floor(target) in LENT[stage.name]):
            yield line, target, f"{stage.name}/{floor} stands apart from it"
        elif stage.rank and floor != "":
            below = stage.floor(target)
            if below is None or below == "" or stage.rank[below] > stage.rank[floor]:
                yield line, target, f"{stage.name}/{floor} is below it (see {stage.file.relative_to(root)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--depfile", type=Path, help="where to write for ninja which files were read")
    parser.add_argument("--stamp", type=Path, help="a file to touch where nothing was found")
    arguments = parser.parse_args()
    root = arguments.root
    stages = {name: Stage(root, name) for name in ALLOWED if (root / name).is_dir()}
    read = []
    found = 0
    for name in stages:
        for path in sorted((root / name).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            read.append(path)
            for line, target, why in wrong_includes(root, stages, path.relative_to(root)):
                print(f'{path.relative_to(root)}:{line}: #include "{target}": {why}')
                found += 1
    if found == 0 and arguments.stamp:
        arguments.stamp.write_text("")
    if arguments.depfile:
        files = [path.as_posix().replace(" ", "\\ ") for path in read + [s.file for s in stages.values() if s.rank]]
        arguments.depfile.write_text(f"{arguments.stamp}: {' '.join(files)}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
