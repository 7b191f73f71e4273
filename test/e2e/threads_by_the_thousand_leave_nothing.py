"""Ten thousand threads, made and ended: every span of theirs is in the trace, or counted as one without a ring where more
threads live at once than there are rings, and the program's memory grows by no more than what the rings take, whatever
the number of threads: a page kept for each would be seen."""
from support.span_counts import NO_RING, TraceCount
from support.xsp_e2e import BUILD, check, check_equal, run, work_folder, xsp_run

PROGRAM = BUILD / "test/e2e/thread_churn"
RINGS_KIB = 512 * (4 + 64)
REST_KIB = 8192

work_folder()
for total, at_a_time in ((10_000, 8), (1_800, 600)):
    done = xsp_run(PROGRAM, total, at_a_time).check_success()
    spans, *resident = map(int, done.stdout.split())
    process = TraceCount("trace.pb").only_process()
    process.check_once()
    without_ring = process.losses[NO_RING]
    check_equal(process.spans + without_ring, spans, f"{at_a_time} threads at once: recorded, and without a ring")
    check_equal(sum(process.losses.values()), without_ring, "other losses")
    if at_a_time <= 512:
        check_equal(without_ring, 0, "spans without a ring")
    else:
        check(without_ring >= 5 * (at_a_time - 512), f"{without_ring} spans had no ring")
    alone = max(map(int, run(PROGRAM, total, at_a_time).stdout.split()[1:]))
    # A ring that many threads had one after the other is touched further on: twice what it has held.
    records_kib = 2 * spans * 64 // 1024
    check(max(resident) <= alone + RINGS_KIB + records_kib + REST_KIB, f"resident: {alone} KiB alone, {resident} KiB with us")
    print(f"figure: threads {total}, {at_a_time} at once, spans {spans}, recorded {process.spans}, without a ring "
          f"{without_ring}, resident after each quarter {resident} KiB")
