"""Real profiles, imported and exported again, for the tests of the exports."""
import csv
import io
import os
import subprocess
import sys

from imported_trace import shared_data, skip


def recordings(root, names):
    folder = os.path.join(shared_data(root), "kineto")
    if not os.path.isdir(folder):
        skip("no recordings of PyTorch's profiler")
    return [os.path.join(folder, name + ".json.gz") for name in names]


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def rows(report, trace, analysis):
    """The rows of a table, as dictionaries."""
    return list(csv.DictReader(io.StringIO(run(report, "-q", trace, "-a", analysis, "--format", "csv"))))


def total_ns(table, column):
    return sum(float(row[column]) for row in table if row[column]) * 1e6


def check(condition, text):
    if not condition:
        sys.exit(text)
