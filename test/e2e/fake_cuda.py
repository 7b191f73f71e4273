"""For the tests with the stand-in CUDA libraries (test/fake_cuda): runs a program with and without xsp-run, and holds what
the libraries themselves wrote down against the trace.
"""
import os
import re
from collections import Counter
from pathlib import Path

from xsp_e2e import BUILD, check_equal, clean_environment, run, xsp_run

FAKE_CUDA = BUILD / "test/fake_cuda"
GUEST = BUILD / "inject/libxsp_inject.so"
REASONS = {1: "deepbind", 2: "static", 3: "second copy", 4: "unknown version", 5: "no hook"}
# Calls of the descriptor classes, which are recorded with --library-calls all only.
QUIET = {
    "cudnnCreateTensorDescriptor", "cudnnBackendCreateDescriptor", "cudnnBackendDestroyDescriptor",
    "cudnnBackendFinalize", "cudnnBackendGetAttribute",
}  # fmt: skip


def fake(name):
    return FAKE_CUDA / name


class Outcome:
    """A program's two runs: `plain` and `done` (Profiled), and the lines that the libraries wrote in the second."""

    def __init__(self, plain, done, plain_log, log):
        self.plain, self.done, self.plain_log, self.log = plain, done, plain_log, log

    @property
    def trace(self):
        return self.done.trace

    def calls(self):
        """(library, function) of all recorded calls in order of their begin."""
        spans = sorted(self.trace.spans, key=lambda span: (span.begin, -span.end))
        return [(span.type, span.name) for span in spans]

    def spans(self, name):
        return sorted((s for s in self.trace.spans if s.name == name), key=lambda span: span.begin)

    def unintercepted(self):
        """{(reason, library, file's name, user's name)}"""
        return {
            (REASONS[reason], library, Path(file).name, Path(user).name)
            for reason, library, file, user, _ in self.trace.unintercepted
        }

    def check_unchanged(self):
        check_equal(self.done.stdout, self.plain.stdout, "stdout")
        check_equal(self.done.returncode, self.plain.returncode, f"exit status; stderr: {self.done.stderr}")
        check_equal(self.log, self.plain_log, "what the libraries were called for")
        return self

    def check_recorded(self):
        """Every call that reached a library is in the trace, once."""
        reached = Counter(line.split()[1] for line in self.log)
        expected = {name: count for name, count in reached.items() if name not in QUIET}
        check_equal(dict(Counter(name for _, name in self.calls())), expected, "recorded calls")
        return self


def log_lines(path):
    """Without addresses, which differ from run to run."""
    if not path.exists():
        return []
    return [re.sub(r"0x[0-9a-f]{6,}", "0x...", line) for line in path.read_text().splitlines()]


def compare(*command, options=(), wrap=(), **environment):
    """Runs the command plainly and under xsp-run. `wrap`: words in front of it in the second run only."""
    logs = [Path(os.getcwd()) / name for name in ("plain.log", "profiled.log")]
    for log in logs:
        log.unlink(missing_ok=True)
    plain = run(*command, env=clean_environment(FAKE_CUDA_LOG=logs[0], **environment))
    done = xsp_run(*wrap, *command, options=options, env=clean_environment(FAKE_CUDA_LOG=logs[1], **environment))
    return Outcome(plain, done, log_lines(logs[0]), log_lines(logs[1]))
