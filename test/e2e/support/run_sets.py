"""For the tests of sets of runs: makes them and reads what they left."""
import json
from pathlib import Path

from .trace_reader import read_trace
from .xsp_e2e import SOURCE, SYSTEM_PYTHON, XSP_RUN, check, clean_environment, run

# A model of two layers that is called twice; then what the test appends.
MODEL = f"""
import os, sys, time
sys.path.insert(0, {str(SOURCE / "inject/api")!r})
import xsp
for i in range(2):
    with xsp.span("predict", level="model"):
        for step in ("encode", "decode"):
            with xsp.span(step, level="layer"):
                sum(range(100))
"""


class Set:
    """Outcome of xsp-run with several runs."""

    def __init__(self, process, folder):
        self.returncode = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr.decode(errors="replace")
        self.folder = Path(folder)

    @property
    def index(self):
        check((self.folder / "set.json").exists(), f"no set.json in {self.folder}; xsp-run said:\n{self.stderr}")
        return json.loads((self.folder / "set.json").read_text())

    def trace(self, run):
        return read_trace(self.folder / run["trace"])

    def log(self, number):
        return (self.folder / self.index["runs"][number - 1]["log"]).read_text()

    def check_success(self):
        check(self.returncode == 0, f"exit status {self.returncode}; stderr:\n{self.stderr}")
        return self

    def check_says(self, *texts):
        for text in texts:
            check(text in self.stderr, f"xsp-run does not say {text!r}; stderr:\n{self.stderr}")
        return self


def xsp_set(*command, options, output="set", env=None, **popen):
    popen.setdefault("stdin", -3)  # DEVNULL
    if "input" in popen:
        del popen["stdin"]
    done = run(XSP_RUN, "-o", output, *options, "--", *command, env=env or clean_environment(), **popen)
    return Set(done, output)


def python_set(program, *arguments, **options):
    """Runs of MODEL and then `program`."""
    return xsp_set(SYSTEM_PYTHON, "-c", MODEL + program, *arguments, **options)
