"""Writes text files as one C string literal: embed.py OUT IN... Run by the build."""

import sys

with open(sys.argv[1], "w", encoding="utf-8") as output:
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as source:
            for line in source:
                escaped = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
                output.write(f'"{escaped}\\n"\n')
