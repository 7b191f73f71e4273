#!/usr/bin/env python3
"""doc/example.html is a page as xsp-report writes them, redacted, and every number that doc/example.md quotes is in the
section of it that the heading above names.

example_doc_test.py SOURCE_ROOT
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "test/e2e"))
from support.html_page import Page  # noqa: E402

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])")
MOST_BYTES = 1_000_000
LEAST_NUMBERS = 30  # quoted in all


def sections_of_page(text):
    """id -> what a reader without scripts sees, less the labels of drawings."""
    found = {}
    for section in re.finditer(r'<section[^>]*\bid="([^"]+)".*?</section>', text, re.DOTALL):
        shown = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", section[0], flags=re.DOTALL)
        found[section[1]] = html.unescape(shown)
    return found


def sections_of_text(text):
    """(heading, words), less code and what stands in links."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def columns_of_tables():
    """table -> its columns, as doc/tables.md has them."""
    columns, table = {}, None
    for line in (ROOT / "doc/tables.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            table = line.split()[1]
            columns[table] = set()
        elif table and line.startswith("| `"):
            columns[table].add(line.split("`")[1])
    return columns


def problems_of_page(text):
    page = Page(text)
    problems = list(page.problems) + page.policy_problems()
    if len(text.encode()) > MOST_BYTES:
        problems.append(f"{len(text.encode())} bytes are more than {MOST_BYTES}")
    packed = page.packed("xsp-tables")
    for table, columns in columns_of_tables().items():
        # Of sets, of several models, of continuous recordings, of several numbers of threads, of kernels' waves, and parts
        # that only loops have.
        if table.startswith(("E1", "E2", "E3", "L1", "M1", "Q2", "Q3", "R1", "R2", "D1.", "D2.")):
            continue
        if table not in page.ids or table not in packed:
            problems.append(f"no section {table}")
            continue
        unknown = {column["name"] for column in packed[table]["columns"]} - columns
        if unknown:
            problems.append(f"{table} has columns that doc/tables.md has not: {unknown}")
    problems += [f"no section {name}" for name in ("overview", "timeline", "icicle") if name not in page.ids]
    for name in ("xsp-figures", "xsp-timeline", "xsp-icicle"):
        page.packed(name)
    if "<dt>Command</dt>" in text:
        problems.append("it is not redacted")
    return problems


def problems_of_text(text, sections):
    problems, quoted = [], 0
    for heading, words in sections_of_text(text):
        numbers = NUMBER.findall(words)
        quoted += len(numbers)
        if numbers and heading not in sections:
            problems.append(f"numbers under “{heading}”, which is no section of the page: {numbers}")
            continue
        known = set(NUMBER.findall(sections.get(heading, "")))
        problems += [f"{heading}: {number} is not in the page" for number in numbers if number not in known]
    if quoted < LEAST_NUMBERS:
        problems.append(f"only {quoted} numbers found: has the form changed?")
    return problems


def main():
    page = (ROOT / "doc/example.html").read_text(encoding="utf-8")
    problems = problems_of_page(page)
    problems += problems_of_text((ROOT / "doc/example.md").read_text(encoding="utf-8"), sections_of_page(page))
    if problems:
        sys.exit("\n".join(problems) + "\nhint: scripts/demo makes a new page; doc/example.md goes with it")


if __name__ == "__main__":
    main()
