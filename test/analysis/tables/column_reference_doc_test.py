#!/usr/bin/env python3
"""A document ends with the list of tables that the program has: column_reference_lines prints that of doc/tables.md,
bound_reference_lines that of doc/xsp-bound.md.

column_reference_doc_test.py PROGRAM DOCUMENT [--write]
"""

import pathlib
import re
import subprocess
import sys

BEGIN = re.compile("<!-- made by test/.*/[a-z]+_reference_lines -->\n")


def main():
    program = sys.argv[1]
    document = pathlib.Path(sys.argv[2])
    text = document.read_text(encoding="utf-8")
    begin = BEGIN.search(text).end()
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    if sys.argv[3:] == ["--write"]:
        document.write_text(text[:begin] + printed, encoding="utf-8")
    elif "not described" in printed:
        sys.exit("a column has no description: see its definition in analysis/tables")
    elif text[begin:] != printed:
        sys.exit(f"{document.name} is not what the program has: run this test with --write")


if __name__ == "__main__":
    main()
