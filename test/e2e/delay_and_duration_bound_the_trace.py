"""--delay and --duration: a program and its forked child are recorded in the same part of the run, which begins and ends
when it should, to 25 ms; the gaps are told.
"""
import time

from support.xsp_e2e import PROGRAMS, SOURCE, SYSTEM_PYTHON, check, check_equal, clean_environment, work_folder, xsp_run

TOLERANCE_NS = 25_000_000
SPAN_NS = 10_000_000
work_folder()
environment = clean_environment(PYTHONPATH=SOURCE / "inject/api")
started = time.monotonic_ns()
done = xsp_run(SYSTEM_PYTHON, PROGRAMS / "counts_time.py", "1.2", options=("--delay", "600ms", "--duration", "300ms"),
               env=environment).check_success()  # fmt: skip
spans = done.trace.spans
check(done.stdout != b"", "the program's output")
for name in ("parent", "child"):
    own = [span for span in spans if span.name == name]
    check(len(own) > 5, f"too few spans of the {name}: {len(own)}")
    first, last = min(span.begin for span in own), max(span.begin for span in own)
    # A shared machine may let the program itself wait: what is recorded lies in the window, wherever that is.
    check(first >= started + 600_000_000, f"the {name} is recorded {(first - started) / 1e6} ms after the start")
    check(last - first <= 300_000_000 + TOLERANCE_NS, f"the {name} is recorded for {(last - first) / 1e6} ms")
    check(last - first >= 200_000_000 - TOLERANCE_NS - SPAN_NS, f"the {name} for {(last - first) / 1e6} ms only")
parents = [span.begin for span in spans if span.name == "parent"]
children = [span.begin for span in spans if span.name == "child"]
difference = abs(min(parents) - min(children))
check(difference < TOLERANCE_NS + 3 * SPAN_NS, f"parent and child begin {difference / 1e6} ms apart")

refused = xsp_run("true", options=("--delay", "soon"))
check_equal(refused.returncode, 125, "--delay soon")
check("hint" in refused.stderr and "500ms" in refused.stderr, refused.stderr)
