"""A disk that takes 100 ms for each write: the program ends as ever, what the collector could not take in time is counted."""
from support.fault_collector import wrapped_collector
from support.span_counts import RING_FULL, TraceCount, program_counts
from support.xsp_e2e import BUILD, check, check_equal, work_folder, xsp_run

THREADS, EACH, RATE = 2, 150_000, 100_000

folder = work_folder()
slow = wrapped_collector(folder, LD_PRELOAD=BUILD / "test/e2e/libfaulty_disk.so", DISK_WRITE_MS=100)
done = xsp_run(BUILD / "test/e2e/counted_spans", "counts", THREADS, RATE, EACH, env=slow).check_success()
check_equal(done.stdout, b"done\n", "stdout")
check_equal(sum(program_counts("counts")[1].values()), THREADS * EACH, "spans of the program")
trace = TraceCount("trace.pb")
process = trace.only_process()
process.check_once()
check_equal(process.spans + process.losses[RING_FULL], THREADS * EACH, "recorded and dropped")
check(trace.complete, "the trace is complete")
print(f"figure: 100 ms a write, issued {THREADS * EACH}, recorded {process.spans}, dropped {process.losses[RING_FULL]}, "
      "unaccounted 0")
