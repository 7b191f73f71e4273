#!/usr/bin/env python3
"""check_field_numbers.py [--self-test] [ROOT]: no bare field number in the programs.

The numbers of trace.proto have names that the build makes (proto/README.md); those of other tools' formats have tables
in the files that read or write them. This looks for numbers where one of these names belongs: in what a writer is told
to write, in what a reader compares a field with, and in tags put together by hand.
"""
import argparse
import re
import sys
from pathlib import Path

FOLDERS = ("proto", "base", "inject", "collector", "import", "analysis", "bound")
SUFFIXES = (".cc", ".h")

# Calls of WireWriter and protozero's writer through an object: writer.uint64(3, …), any->add_string(1, …), body.begin(6).
WRITES = re.compile(
    r"(?:\.|->)(?:(?:u?int64|sint64|boolean|float64|bytes|string|element)\(\s*\d+\s*,"
    r"|begin\(\s*\d+\s*\)"
    r"|add_(?:string|bytes|bool|enum|u?int(?:32|64)|sint(?:32|64)|fixed(?:32|64)|double|float|message|packed_\w+)\(\s*\d+\s*,)"
)
# A nested message: pbf_writer line(location, 4).
PARTS = re.compile(r"\bpbf_(?:writer|builder\w*)\s+\w+\(\s*[^,()]+,\s*\d+\s*\)")
# Columns and tags by number: column(12, …), number(3), varint(1 << 3 | 2).
COLUMNS = re.compile(
    r"(?<![\w:.>])(?:\w*column\w*|unless_zero)\(\s*\d+\s*,"
    r"|\bvarint\(\s*(?:uint64_t\{)?\d+\}?\s*<<\s*3"
    r"|\bwire_field::\w+\(\s*\d+\s*\)|\btag_and_type\(\s*\d+\s*,"
)
# Comparisons of a reader's current field: fields.tag() == 2, reader.next(1).
READS = re.compile(r"\btag\(\)\s*[=!<>]=?\s*\d|(?:\.|->)next\(\s*\d+\s*\)")
# A switch over a field; its cases follow until its closing brace.
SWITCH = re.compile(r"\bswitch\s*\([^{;]*(?:\btag\(\)|\btag_and_type\(\)|\bfield\b)[^{;]*\)\s*\{")
CASE = re.compile(r"\bcase\s+(?:\w+\(\s*)?\d+\s*\)?\s*:")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# A number that is no field: a limit of 64 on the bits of a mask.
ALLOWED = ("reader.tag() < 64",)


def without_comments(text):
    """The text with comments blanked out, so that line numbers stay the same."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def end_of_block(text, at):
    depth = 1
    while at < len(text) and depth > 0:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def bare_numbers(text):
    """(line, its text) for each number that should be a name."""
    text = without_comments(text)
    for allowed in ALLOWED:
        text = text.replace(allowed, " " * len(allowed))
    places = [match for pattern in (WRITES, PARTS, COLUMNS, READS) for match in pattern.finditer(text)]
    for switch in SWITCH.finditer(text):
        places += CASE.finditer(text, switch.end(), end_of_block(text, switch.end()))
    for match in sorted(places, key=lambda place: place.start()):
        yield text.count("\n", 0, match.start()) + 1, " ".join(match.group().split())


PLANTED = (
    "writer.uint64(3, value);",
    "body.begin(6);",
    "any->add_string(1, text);",
    "pbf_writer line(location, 4);",
    "column(12, [](const Row& row) { return row.name; });",
    "frame.varint(1 << 3 | 2);",
    "if (fields.tag() == 2) return;",
    "while (response.next(1)) {}",
    "switch (reader.tag()) {\n  case 7:\n    break;\n}",
    "switch (fields.tag_and_type()) { case number(3): break; }",
)
INNOCENT = (
    "writer.uint64(wire::Gap::kReason, 3);",
    "// writer.uint64(3, value);",
    "std::string(1, c);",
    "switch (key.size()) { case 4: break; }",
    "list.begin();",
    "row.number(3);",
    "loops.next(\n);",
    "column(Fields::kName, 3);",
)


def self_test():
    missed = [text for text in PLANTED if not list(bare_numbers(text))]
    mistaken = [text for text in INNOCENT if list(bare_numbers(text))]
    for text in missed:
        print(f"not found: {text}")
    for text in mistaken:
        print(f"wrongly found: {text}")
    return 1 if missed or mistaken else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="look for planted numbers instead")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    found = 0
    for folder in FOLDERS:
        for path in sorted((arguments.root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            for line, text in bare_numbers(path.read_text(errors="replace")):
                print(f"{path.relative_to(arguments.root)}:{line}: {text}: a field number without its name")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
