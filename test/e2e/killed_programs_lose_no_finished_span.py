"""SIGKILL at random moments, again and again: every span that had finished is in the trace, once, or is counted as
dropped by a full ring; of each thread at most the one in progress is there too.

XSP_STRESS=1000 kills as often as that, else 24 times. Slow programs (20,000 spans a second) drop nothing at all.
"""
import os
import random
import signal
import time
from pathlib import Path

from support.span_counts import CORRUPT, RING_FULL, TraceCount, program_counts
from support.trace_reader import DISCONNECTED
from support.xsp_e2e import BUILD, check, check_equal, start_xsp_run, wait_until, work_folder

KILLS = int(os.environ.get("XSP_STRESS", 0)) or 24
PROGRAM = BUILD / "test/e2e/counted_spans"

work_folder()
seed = random.randrange(1 << 32)
chance = random.Random(seed)
finished_in_all = kept_in_all = dropped_in_all = lost = 0
for kill in range(KILLS):
    threads, rate = ((1, 20_000), (4, 20_000), (1, 1_000_000), (3, 1_000_000))[kill % 4]
    Path("counts").unlink(missing_ok=True)
    process = start_xsp_run(PROGRAM, "counts", threads, rate, 0)
    wait_until(lambda: Path("counts").exists() and program_counts("counts")[1], "the program records")
    time.sleep(chance.uniform(0, 0.12))
    os.kill(program_counts("counts")[0], signal.SIGKILL)
    _, stderr = process.communicate(timeout=60)
    check_equal(process.returncode, -signal.SIGKILL, f"xsp-run dies as its command did; stderr: {stderr.decode()}")
    finished = program_counts("counts")[1]

    trace = TraceCount("trace.pb")
    recorded = trace.only_process()
    recorded.check_once()
    dropped = recorded.losses[RING_FULL]
    what = f"kill {kill} (seed {seed}): {threads} threads of {rate} spans a second"
    check(rate > 20_000 or dropped == 0, f"{what}: {dropped} dropped")
    check_equal(recorded.losses[CORRUPT], 0, f"{what}: records that were not whole")
    check_equal(recorded.end, DISCONNECTED, f"{what}: how the process ended")
    kept = recorded.spans + dropped
    lost += max(0, sum(finished.values()) - kept)
    check(sum(finished.values()) <= kept <= sum(finished.values()) + threads,
          f"{what}: {sum(finished.values())} finished, {recorded.spans} recorded, {dropped} dropped")
    for thread, count in finished.items():
        check(dropped or count <= recorded.by_thread[thread] <= count + 1,
              f"{what}: thread {thread} finished {count}, of which {recorded.by_thread[thread]} are recorded")
    finished_in_all += sum(finished.values())
    kept_in_all += recorded.spans
    dropped_in_all += dropped
print(f"figure: kills {KILLS}, finished {finished_in_all}, recorded {kept_in_all}, dropped by full rings and counted "
      f"{dropped_in_all}, lost {lost}")
