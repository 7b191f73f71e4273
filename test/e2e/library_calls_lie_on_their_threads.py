"""Library calls of a pool's threads are recorded on the threads that make them, all of them and each with its own sizes."""
from collections import Counter

from support.trace_reader import LIBRARY_CALL
from support.xsp_e2e import PROGRAMS, check, check_equal, numpy_python, work_folder, xsp_run

python = numpy_python()
work_folder()
done = xsp_run(python, PROGRAMS / "numpy_threads.py").check_success()
printed = [[int(word) for word in line.split()] for line in done.stdout.decode().splitlines()]
check_equal(len({thread for thread, _, _ in printed}), 3, "threads of the pool")
spans = [s for s in done.trace.of_kind(LIBRARY_CALL) if s.type == "cblas" and "sgemm" in s.name]
got = Counter((s.thread, s.arguments["m"], s.arguments["n"], s.arguments["k"]) for s in spans)
check_equal(got, {(thread, rows, 60, 50): count for thread, rows, count in printed}, f"{python}: products by thread")
for thread, _, _ in printed:
    mine = sorted((s for s in spans if s.thread == thread), key=lambda s: s.begin)
    check(all(a.end <= b.begin for a, b in zip(mine, mine[1:])), "calls of one thread follow each other")
    check_equal(len({s.ring for s in mine}), 1, "rings of one thread")
