"""Runs what is measured: where the programs lie, how they are started, what they used."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
QUIET = ["--benchmark_repetitions=9", "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"]

REAL_TIME_PRIORITY = 10


class Failed(Exception):
    """A program did not do its work; the text says which and how."""


class Programs:
    def __init__(self, build):
        self.build = build
        self.scratch = tempfile.mkdtemp(prefix="xsp-bench-")
        self.begin = time.monotonic()

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.build, *parts)

    def source(self, *parts):
        return os.path.join(ROOT, *parts)

    def temporary(self, name):
        return os.path.join(self.scratch, name)

    @property
    def guest(self):
        return self.path("inject", "libxsp_inject.so")

    def xsp_run(self, *command, output="bench.pb", options=()):
        trace = self.temporary(output)
        return [self.path("inject", "launch", "xsp-run"), "-q", "-f", "-o", trace, *options, "--", *command], trace

    @contextlib.contextmanager
    def undisturbed(self):
        """What is started meanwhile, consumers too, goes before other programs, where the user may: root."""
        own = os.sched_getscheduler(0), os.sched_getparam(0)
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(REAL_TIME_PRIORITY))
        except PermissionError:
            pass
        try:
            yield
        finally:
            os.sched_setscheduler(0, *own)

    def say(self, text):
        print(f"  {time.monotonic() - self.begin:4.0f} s  {text}", file=sys.stderr, flush=True)

    def output(self, command, **environment):
        self.say(" ".join(os.path.basename(word) for word in command[:5]))
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("XSP_") and name != "CUDA_HOME"}
        result = subprocess.run(command, capture_output=True, text=True, env={**inherited, **environment})
        if result.returncode != 0:
            raise Failed(f"{' '.join(command[:3])} ended with {result.returncode}: {result.stderr.strip()[-500:]}")
        return result.stdout

    def figures_of(self, command, **environment):
        """The JSON object that a program's last line is."""
        return json.loads(self.output(command, **environment).strip().splitlines()[-1])

    def repetitions(self, command, **environment):
        """CPU nanoseconds by benchmark name, one a repetition."""
        report = json.loads(self.output([*command, *QUIET], **environment))
        times = {}
        for row in report["benchmarks"]:
            if row["run_type"] != "iteration":
                continue
            manual = "manual_time" in row["run_name"]
            times.setdefault(row["run_name"].split("/")[0], []).append(row["real_time"] if manual else row["cpu_time"])
        return times

    def used(self, command):
        """Seconds of CPU and the largest memory in bytes of a command, and what it printed."""
        self.say(" ".join(os.path.basename(word) for word in command[:5]))
        with tempfile.TemporaryFile("w+") as output:
            child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            text = output.read()
        if child.returncode != 0:
            raise Failed(f"{command[0]} ended with {child.returncode}: {text[-500:]}")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text

    def quality(self, trace):
        """Q1 of a trace: values by quantity, of all levels."""
        return {row[0]: row[2] for row in self.quality_rows(trace) if row[1] == "all"}

    def own_threads_seconds(self, trace):
        """CPU time of the guest's own threads, by Q1: of the sender alone where there is no device."""
        note = next(row[3] for row in self.quality_rows(trace) if row[0] == "overhead_pct")
        return float(re.search(r"([\d.]+) s CPU time of its threads", note).group(1))

    def quality_rows(self, trace):
        return json.loads(self.output([self.path("analysis", "xsp-report"), trace, "-a", "Q1", "--format", "json"]))["Q1"]["rows"]

    def torch_pythons(self):
        """(interpreter, name) of each PyTorch that is here."""
        for python, label in (
            (self.path("python", "torch", "bin", "python"), "the current PyTorch wheel"),
            ("/usr/bin/python3", "the distribution's PyTorch"),
        ):
            probe = [python, "-c", "import torch"]
            if os.path.exists(python) and subprocess.run(probe, capture_output=True).returncode == 0:
                yield python, label
            else:
                self.say(f"left out: no {label}")

    def resnet50_for_ort(self):
        """The interpreter with ONNX Runtime and ResNet-50 as a file for it, or None."""
        python = self.path("python", "ort", "bin", "python")
        if not os.path.exists(python):
            return None
        model = self.temporary("resnet50.onnx")
        if not os.path.exists(model):
            self.output([python, self.source("scripts", "make_resnet50_onnx.py"), model])
        return python, model

    def versions(self):
        """The compiler and what is compared with, as they name themselves."""
        named = []
        for command in (["g++", "--version"], ["ldd", "--version"], ["lttng", "--version"]):
            if shutil.which(command[0]) is not None:
                named.append(subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0])
        return ", ".join(named)
