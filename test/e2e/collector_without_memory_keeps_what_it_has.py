"""Every allocation and every system call of the collector fails once, the first, the second and so on, and then all of them
from one on: it never crashes or hangs, what it wrote can be read, and where spans are missing it says so and ends with an
error, or they are counted. The program runs on as ever.

By default each ninth call fails; XSP_STRESS in the environment: each.
"""
import os
import signal
import subprocess
import time

from support.span_counts import CORRUPT, TraceCount
from support.xsp_e2e import (BUILD, XSP_COLLECTOR, XSP_REPORT, check, check_equal, clean_environment, listens, run,
                     work_folder)  # fmt: skip

PROGRAM = BUILD / "test/e2e/spans_of_every_kind"
SPANS = 1000
MOST = 3000
STEP = 1 if os.environ.get("XSP_STRESS") else 9

folder = work_folder()
alone = run(PROGRAM)
program = clean_environment(LD_PRELOAD=BUILD / "inject/libxsp_inject.so", XSP_SOCKET=folder / "socket", XSP_LEVEL="kernel")
failed = refused = whole = told = counted = 0
endings = set()


def attempt(settings, what):
    """Whether a call has failed."""
    global failed, refused, whole, told, counted
    for name in ("report", "socket", "t.pb", "t.pb.partial"):
        (folder / name).unlink(missing_ok=True)
    collector = subprocess.Popen(
        [XSP_COLLECTOR, "--socket", folder / "socket", "-o", "t.pb"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=clean_environment(LD_PRELOAD=BUILD / "test/e2e/libfailing_calls.so", FAIL_REPORT=folder / "report", **settings))
    while not listens(folder / "socket") and collector.poll() is None:
        time.sleep(0.001)
    done = run(PROGRAM, env=program, timeout=60)
    check_equal((done.returncode, done.stdout, done.stderr), (alone.returncode, alone.stdout, alone.stderr), what)
    collector.send_signal(signal.SIGTERM)
    _, stderr = collector.communicate(timeout=60)
    stderr = stderr.decode()
    if not (folder / "report").exists():
        return False
    what = f"{what}, {(folder / 'report').read_text().strip()}"
    # A signal that comes before its handler does is no fault.
    early = collector.returncode == -signal.SIGTERM
    check(early or collector.returncode in (0, 1, 5), f"{what}: exit status {collector.returncode}; stderr: {stderr}")
    failed += 1
    endings.add(collector.returncode)
    traces = [name for name in ("t.pb", "t.pb.partial") if (folder / name).exists()]
    counts = [TraceCount(name) for name in traces]
    spans = sum(trace.spans for trace in counts)
    if collector.returncode != 0:
        check(early or "error: " in stderr, f"{what}: the error is told; stderr: {stderr}")
        refused += spans == 0
        told += spans != 0
    elif spans == SPANS:
        whole += 1
    else:
        losses = sum(trace.lost(CORRUPT) for trace in counts)
        check(losses or counts[0].notices, f"{what}: {spans} spans, and no word about the others")
        counted += 1
    if spans and failed % 40 == 0:
        read = run(XSP_REPORT, traces[0])
        check_equal(read.returncode, 0, f"{what}: xsp-report; {read.stderr.decode()}")
    return True


for which, kind, step in (("FAIL_NTH", "memory", STEP), ("FAIL_NTH", "descriptors", max(STEP // 3, 1)),
                          ("FAIL_FROM", "memory", 4 * STEP), ("FAIL_FROM", "descriptors", STEP)):  # fmt: skip
    number = 1
    while attempt({"FAIL_KIND": kind, which: number}, f"{which}={number} of {kind}"):
        number += step
        check(number < MOST, f"{which} of {kind}: there is an end to it")
print(f"figure: calls that failed {failed}, crashes 0, hangs 0, unreadable traces 0; whole {whole}, losses counted {counted}, "
      f"ended with an error and a part of the spans {told}, with none {refused}")
