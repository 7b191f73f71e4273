"""A collector that does nothing for seconds (SIGSTOP): the program goes on and ends meanwhile; when the collector goes on
it takes what the rings still hold, and the rest is counted."""
import os
import signal
import time

from support.span_counts import RING_FULL, TraceCount, program_counts
from support.xsp_e2e import BUILD, check, check_equal, children_named, start_xsp_run, wait_until, work_folder

THREADS, EACH, RATE = 3, 300_000, 200_000

folder = work_folder()
process = start_xsp_run(BUILD / "test/e2e/counted_spans", "counts", THREADS, RATE, EACH)
wait_until(lambda: (folder / "counts").exists() and sum(program_counts("counts")[1].values()) > 1000, "the program records")
collector = children_named(process.pid, "xsp-collector")[0]
os.kill(collector, signal.SIGSTOP)
try:
    wait_until(lambda: sum(program_counts("counts")[1].values()) == THREADS * EACH, "the program records all of its spans")
    wait_until(lambda: not children_named(process.pid, "counted_spans"), "the program ends")
    check(process.poll() is None, "xsp-run waits for the collector")
    time.sleep(1)
finally:
    os.kill(collector, signal.SIGCONT)
stdout, stderr = process.communicate(timeout=60)
check_equal((process.returncode, stdout), (0, b"done\n"), f"the program; stderr: {stderr.decode()}")
trace = TraceCount("trace.pb")
recorded = trace.only_process()
recorded.check_once()
dropped = recorded.losses[RING_FULL]
check_equal(recorded.spans + dropped, THREADS * EACH, "recorded and dropped")
check(trace.complete, "the trace is complete")
print(f"figure: issued {THREADS * EACH}, recorded {recorded.spans}, dropped {dropped}, unaccounted 0")
