"""exit, quick_exit, _exit, abort, a signal and the return from main, while other threads are inside of hooks: the status is
the program's, nothing hangs or crashes, and every span that had finished is in the trace or counted as dropped."""
import signal

from support.span_counts import RING_FULL, TraceCount, program_counts
from support.xsp_e2e import BUILD, check, check_equal, work_folder, xsp_run

THREADS, ROUNDS = 3, 2
WAYS = {"exit": 3, "quick_exit": 3, "_exit": 3, "return": 3, "abort": -signal.SIGABRT, "signal": -signal.SIGTERM}

folder = work_folder()
finished_in_all = recorded = dropped = 0
for attempt in range(ROUNDS):
    for how, status in WAYS.items():
        (folder / "counts").unlink(missing_ok=True)
        rate = 0 if attempt == 0 else 100_000
        done = xsp_run(BUILD / "test/e2e/counted_spans", "counts", THREADS, rate, 0, how)
        check_equal((done.returncode, done.stdout), (status, b"done\n"), f"{how}: status; stderr: {done.stderr}")
        finished = sum(program_counts("counts")[1].values())
        process = TraceCount("trace.pb").only_process()
        process.check_once()
        kept = process.spans + process.losses[RING_FULL]
        check(finished <= kept <= finished + THREADS, f"{how}: {finished} finished, {kept} recorded or dropped")
        finished_in_all += finished
        recorded += process.spans
        dropped += process.losses[RING_FULL]
print(f"figure: ends {ROUNDS * len(WAYS)}, finished {finished_in_all}, recorded {recorded}, dropped {dropped}, lost 0")
