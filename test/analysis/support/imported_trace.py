"""For the tests that compare what xsp-import writes with its input: the trace of a profile, by the reader of the end-to-end
tests, which shares nothing with what is tested.
"""
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../e2e"))
from support.trace_reader import (ANNOTATION, DRIVER_CALL, KERNEL, MEMCPY, MEMSET, OPERATOR, PYTHON_FUNCTION,  # noqa: E402,F401
                                  RUNTIME_CALL, SYNCHRONIZATION, TORCH_MODULE, read_trace)  # fmt: skip


def shared_data(root):
    return os.environ.get("XSP_SHARED_DATA", os.path.join(root, "..", "shared", "data"))


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def enclosing(span, kind):
    """The innermost span of that kind that is this one or contains it; None: there is none."""
    while span is not None and span.kind != kind:
        span = span.above
    return span


def import_profile(program, *arguments):
    """The trace that xsp-import makes of profiles; fails the test if it does not."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.pb")
        done = subprocess.run([program, "-q", "-o", path, *arguments], stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"xsp-import {' '.join(arguments)}: exit code {done.returncode}")
        return read_trace(path)


def covered(intervals):
    """Length of the union of intervals (begin, end)."""
    reached, length = None, 0
    for begin, end in sorted(intervals):
        if reached is None or begin > reached:
            length, reached = length + end - begin, end
        elif end > reached:
            length, reached = length + end - reached, end
    return length
