"""Signal handlers that record, intern and tag while the program does the same, in threads that begin and end, or that leave
by siglongjmp: the program never waits for itself, and every span that was finished is in the trace."""
import os
from collections import Counter

from support.span_counts import CORRUPT
from support.xsp_e2e import BUILD, check, check_equal, work_folder, xsp_run

PROGRAM = BUILD / "test/e2e/signals_in_spans"
ROUNDS = int(os.environ.get("XSP_STRESS", 0)) or 1

work_folder()
own = handled = after = jumps = abandoned = 0
for _ in range(ROUNDS):
    for threads in (0, 2):
        done = xsp_run(PROGRAM, "record", threads, options=("--on-full", "block")).check_success()
        counts = tuple(map(int, done.stdout.split()))
        found = Counter(s.name for s in done.trace.spans)
        check_equal((found["in the program"], found["in the handler"]), counts, "spans of the program, of its handler")
        own, handled = own + counts[0], handled + counts[1]
    done = xsp_run(PROGRAM, "jump", options=("--on-full", "block")).check_success()
    counts = tuple(map(int, done.stdout.split()))
    trace = done.trace
    check_equal(Counter(s.name for s in trace.spans)["after"], counts[0], "spans after the jumps")
    left = sum(p.losses.get(CORRUPT, 0) for p in trace.processes.values())
    check(left <= counts[1], f"{left} records were left unfinished by {counts[1]} jumps")
    after, jumps, abandoned = after + counts[0], jumps + counts[1], abandoned + left
print(f"figure: spans {own}, in handlers {handled}, after {jumps} jumps out of handlers {after}; lost 0, left unfinished by "
      f"jumps and counted {abandoned}")
