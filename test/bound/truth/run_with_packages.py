#!/usr/bin/env python3
"""Runs a script with a Python that scripts/setup made, if it is there: run_with_packages.py PYTHON SCRIPT ARGUMENTS..."""
import os
import sys

python = sys.argv[1]
if not os.access(python, os.X_OK):
    print(f"skipped: no {python} (scripts/setup --strangers)")
    sys.exit(77)
os.execv(python, [python, *sys.argv[2:]])
