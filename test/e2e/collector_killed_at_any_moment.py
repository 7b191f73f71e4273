"""The collector is killed at random moments: the program ends as ever with all of its work done, xsp-run says what happened,
and what was written can be read: of each ring a part from its beginning, without a gap."""
import os
import random
import signal
import time
from pathlib import Path

from support.span_counts import TraceCount, program_counts
from support.xsp_e2e import (BUILD, XSP_REPORT, check, check_equal, children_named, run, start_xsp_run, wait_until, work_folder)

KILLS = int(os.environ.get("XSP_STRESS", 0)) or 8
THREADS, EACH, RATE = 2, 100_000, 200_000

work_folder()
seed = random.randrange(1 << 32)
chance = random.Random(seed)
readable = unread = recorded = 0
for kill in range(KILLS):
    for name in ("counts", "trace.pb", "trace.pb.partial"):
        Path(name).unlink(missing_ok=True)
    process = start_xsp_run(BUILD / "test/e2e/counted_spans", "counts", THREADS, RATE, EACH)
    wait_until(lambda: Path("counts").exists() and program_counts("counts")[1], "the program records")
    time.sleep(chance.uniform(0, 0.4))
    for collector in children_named(process.pid, "xsp-collector"):
        os.kill(collector, signal.SIGKILL)
    stdout, stderr = process.communicate(timeout=60)
    stderr = stderr.decode()
    what = f"kill {kill} (seed {seed})"
    check_equal((process.returncode, stdout), (0, b"done\n"), f"{what}: the program; stderr: {stderr}")
    check_equal(sum(program_counts("counts")[1].values()), THREADS * EACH, f"{what}: the program's work")
    check("ended early (killed by signal 9)" in stderr, f"{what}: the message says what happened: {stderr}")
    trace = TraceCount("trace.pb.partial")
    check(not trace.complete, f"{what}: the trace does not say that it is complete")
    for number, part in trace.processes.items():
        if number:
            part.check_once()
    check(trace.spans <= THREADS * EACH, f"{what}: {trace.spans} spans")
    recorded += trace.spans
    readable += trace.spans > 0
    if kill % 8 == 0 and trace.spans:
        check_equal(run(XSP_REPORT, "trace.pb.partial").returncode, 0, f"{what}: xsp-report reads what is left")
print(f"figure: kills {KILLS}, programs disturbed 0, partial traces readable {KILLS} (with spans {readable}, {recorded} in all)")
