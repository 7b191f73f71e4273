"""Threads that record faster than anybody can take it: what is in the trace and what is counted as dropped make all that
was issued, with one thread and with many; no record twice, none left out in the middle. With overflow areas, and without:
where the size of files is limited there is only memory for a few rings."""
from support.span_counts import RING_FULL, TraceCount, program_counts
from support.xsp_e2e import BUILD, check, check_equal, work_folder, xsp_run

SPANS = 400_000
FILE_LIMIT = 32 << 20  # of the guest's shared memory: eight rings, no overflow area

work_folder()
issued = recorded = dropped = 0
for threads, limited in ((1, False), (2, False), (4, False), (8, False), (1, True), (2, True), (4, True)):
    each = SPANS // threads
    limit = ("prlimit", f"--fsize={FILE_LIMIT}") if limited else ()
    done = xsp_run(*limit, BUILD / "test/e2e/counted_spans", "counts", threads, 0, each).check_success()
    counts = program_counts("counts")[1]
    check_equal(sorted(counts.values()), [each] * threads, "spans that each thread finished")
    trace = TraceCount("trace.pb")
    process = trace.only_process()
    process.check_once()
    check_equal(process.spans + process.losses[RING_FULL], SPANS, f"{threads} threads: recorded and dropped")
    check(process.losses[RING_FULL] == 0 or "lost" in done.stderr, f"the message says so: {done.stderr}")
    issued += SPANS
    recorded += process.spans
    dropped += process.losses[RING_FULL]
check(dropped > 0, "rings were full")
print(f"figure: issued {issued}, recorded {recorded}, dropped {dropped}, unaccounted {issued - recorded - dropped}")
