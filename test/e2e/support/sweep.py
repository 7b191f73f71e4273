"""For the tests of xsp-bench: runs it, and reads the set that it left."""
import json
import subprocess
from pathlib import Path

from .xsp_e2e import BUILD, PROGRAMS, SYSTEM_PYTHON, clean_environment, run

XSP_BENCH = BUILD / "inject/bench/xsp-bench"
LAW = (SYSTEM_PYTHON, PROGRAMS / "batch_law.py", "{batch}")


class Sweep:
    """Outcome of xsp-bench: the finished process, its tables and its set."""

    def __init__(self, returncode, stdout, stderr, folder):
        self.returncode = returncode
        self.tables = stdout.decode()
        self.stderr = stderr.decode(errors="replace")
        self.folder = Path(folder)

    @property
    def index(self):
        return json.loads((self.folder / "set.json").read_text())

    def states(self, parameter="batch"):
        """State of every run, by the value of the parameter."""
        return [(r["parameters"][parameter], r["state"]) for r in self.index["runs"]]


def bench(*arguments, folder="set", **extra_environment):
    """`xsp-bench -f -o folder arguments...`, at the model level with or without a GPU. The smallest latency is closest to what
    the program is meant to take, whatever else the machine does.
    """
    done = run(XSP_BENCH, "-f", "-o", folder, "--level", "model", "--stat", "min", *arguments,
               env=clean_environment(**extra_environment))
    return Sweep(done.returncode, done.stdout, done.stderr, folder)


def start_bench(*arguments, folder="set", **extra_environment):
    """The same in its own process group, without waiting for it."""
    command = (XSP_BENCH, "-f", "-o", folder, "--level", "model", *arguments)
    return subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=clean_environment(**extra_environment), start_new_session=True)


def column(table, name):
    """The cells of a column of a table in JSON; the last table of that name."""
    place = max(i for i, c in enumerate(table["columns"]) if c["name"] == name)
    return [row[place] for row in table["rows"]]
