"""Writes a text file as a C string literal: embed.py IN OUT. Run by the build."""

import sys

with open(sys.argv[1], encoding="utf-8") as source, open(sys.argv[2], "w", encoding="utf-8") as output:
    for line in source:
        escaped = line.rstrip("\n").replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        output.write(f'"{escaped}\\n"\n')
