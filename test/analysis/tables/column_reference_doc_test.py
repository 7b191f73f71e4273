#!/usr/bin/env python3
"""doc/tables.md ends with the list that the program has: column_reference_lines prints it.

column_reference_doc_test.py PROGRAM SOURCE_ROOT [--write]
"""

import pathlib
import subprocess
import sys

BEGIN = "<!-- made by test/analysis/column_reference_lines -->\n"


def main():
    program, root = sys.argv[1:3]
    document = pathlib.Path(root, "doc/tables.md")
    text = document.read_text(encoding="utf-8")
    begin = text.index(BEGIN) + len(BEGIN)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    if sys.argv[3:] == ["--write"]:
        document.write_text(text[:begin] + printed, encoding="utf-8")
    elif "not described" in printed:
        sys.exit("a column has no description: see its definition in analysis/tables")
    elif text[begin:] != printed:
        sys.exit("doc/tables.md is not what the program has: run this test with --write")


if __name__ == "__main__":
    main()
