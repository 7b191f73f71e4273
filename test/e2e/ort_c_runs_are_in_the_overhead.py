"""What XSP does around a run of the C API is in what it says that recording costs: one hook in 128 is timed, and a run has two."""
from support.ort_hosts import profile_host, write_model
from support.trace_reader import ORT_RUN
from support.xsp_e2e import check, check_equal, work_folder

RUNS = 6000

work_folder()
write_model()
done = profile_host("create", f"run:{RUNS}", options=["--level", "model"]).check_success()
check_equal(len(done.trace.of_kind(ORT_RUN)), RUNS, "runs")
(process,) = done.trace.processes.values()
timed, each = process.overhead["hooks_timed"], process.overhead["hooks_ns"] / RUNS
print(f"{timed} hooks timed, {each:.0f} ns a run")
# Drawn at random: 94, give or take 10.
check(40 <= timed <= 200, f"{timed} hooks timed of {2 * RUNS}")
check(10 <= each <= 20_000, f"{each:.0f} ns a run")
