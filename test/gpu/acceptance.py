"""What the checks share: the bundle under test, the programs and how they are run, and what is found on the way."""
import os
import sys
import threading
from pathlib import Path

from report import ReportError, parse
from running import Running
from toolkit import PROGRAMS, Toolkit

SOURCE = Path(__file__).resolve().parents[2]
KERNEL_LEVEL_TIMEOUTS = 2  # after so many the others get less
TIMEOUT_AFTER_THEM_S = 45


class Acceptance:
    """Given to every check. Methods may be called by any thread."""

    def __init__(self, bundle, work, device, python, deadline, say, evidence):
        self.bundle = Path(bundle)
        self.work = Path(work)
        self.device = device
        self.python = python
        self.say = say
        self.evidence = evidence
        self.facts = {}
        self.answers = []  # of recordings: {"recording", "question", "answer", "evidence"}
        self.programs = PROGRAMS
        self._lock = threading.Lock()
        self._kernel_level_timeouts = 0
        self.running = Running(self.work, deadline, evidence.log_outcome)
        self.toolkit = Toolkit(self.work, self.run, python)

    @property
    def has_gpu(self):
        return self.device == "cuda"

    def environment(self, **extra):
        """Of the programs: what changes XSP comes from options alone, but for the libcupti that a user may name."""
        kept = lambda name: name == "XSP_CUPTI" or not (name.startswith("XSP_") or name == "LD_PRELOAD")
        environment = {name: value for name, value in os.environ.items() if kept(name)}
        environment.update({
            "PYTHONPATH": os.pathsep.join(filter(None, [str(self.bundle / "python"), os.environ.get("PYTHONPATH")])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
            "TORCHINDUCTOR_CACHE_DIR": str(self.work / "inductor"),
            "TRITON_CACHE_DIR": str(self.work / "triton"),
            "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
            "XSP_GPU_TURN": str(self.work / "gpu-turn"),
        })
        if not self.has_gpu:
            environment.update({"JAX_PLATFORMS": "cpu", "OMP_NUM_THREADS": "1"})
        environment.update({k: str(v) for k, v in extra.items()})
        return environment

    def program(self, name, *arguments):
        """Command line of a Python program of ours."""
        return [self.python, self.programs / name, *arguments]

    def run(self, name, command, timeout=60, env=None, **options):
        return self.running.run(name, command, self.environment(**(env or {})), timeout, **options)

    def profile(self, name, command, *xsp_options, timeout=75, env=None, **options):
        """Runs it under xsp-run: (outcome, its trace or None)."""
        trace = self.work / f"{name}.pb"
        at_kernel_level = self.has_gpu and (not {"model", "layer", "library"} & set(xsp_options))
        if at_kernel_level and self._kernel_level_timeouts >= KERNEL_LEVEL_TIMEOUTS:
            timeout = min(timeout, TIMEOUT_AFTER_THEM_S)
        outcome = self.run(name, self.xsp_command(trace, command, *xsp_options), timeout, env, **options)
        if outcome.timed_out and at_kernel_level:
            self._count_timeout(name)
        for path in (trace, Path(f"{trace}.partial")):
            if path.exists():
                return outcome, path
        return outcome, None

    def _count_timeout(self, name):
        with self._lock:
            self._kernel_level_timeouts += 1
            if self._kernel_level_timeouts == KERNEL_LEVEL_TIMEOUTS:
                self.facts["limits"] = (f"{KERNEL_LEVEL_TIMEOUTS} programs did not end at kernel level, the last was {name}: the "
                                        f"others get {TIMEOUT_AFTER_THEM_S} s")

    def xsp_command(self, trace, command, *xsp_options):
        return [self.bundle / "bin/xsp-run", "-f", "--summary", "none", "-o", trace, *xsp_options, "--", *command]

    def tables(self, trace, analyses, *options):
        """Analysis id -> Table. Raises ReportError."""
        name = f"report-{Path(trace).name}-{'-'.join(map(str, options))}".replace("/", "_")
        command = [self.bundle / "bin/xsp-report", "--analysis", ",".join(analyses), "--format", "json", *options, trace]
        outcome = self.run(name, command, timeout=60)
        if not outcome.good:
            raise ReportError(outcome.why())
        return parse(outcome.stdout)


def default_python():
    """The Python that runs this: on a GPU machine the one with PyTorch."""
    return os.environ.get("XSP_GPU_PYTHON") or sys.executable
