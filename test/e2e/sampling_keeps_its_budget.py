"""With `auto` a program whose recording costs much is sampled so rarely that the cost is within --max-overhead; one whose calls
cost little is sampled often. Every call has its span.
"""
from support.xsp_e2e import BUILD, check, check_equal, clean_environment, work_folder, xsp_run

work_folder()


def run(budget, seconds):
    done = xsp_run(BUILD / "test/e2e/api_model_loop", seconds,
                   env=clean_environment(XSP_SAMPLE="auto", XSP_MAX_OVERHEAD=budget)).check_success()
    (process,) = done.trace.processes.values()
    sampling, overhead = process.sampling, process.overhead
    check_equal(sampling["is_adaptive"], 1, "the rate follows the cost")
    check_equal(sampling["seen"], int(done.stdout), "model calls that were seen")
    models = [span for span in process.spans if span.level == "model"]
    lost = sum(process.losses.values())
    full = sum(not span.shallow for span in models)
    check(sampling["recorded"] - lost <= full <= sampling["recorded"],
          f"{full} full spans and {lost} losses of {sampling['recorded']} calls recorded in full")
    check(len(models) + lost >= sampling["seen"], f"{len(models)} spans and {lost} losses of {sampling['seen']} calls")
    share = (overhead["hooks_ns"] + overhead["threads_ns"]) / overhead["wall_ns"]
    print(f"budget {budget} %: one in {sampling['every']}, {100 * share:.2f} %")
    return sampling["every"], share


rare, little = run("1.5", 6)
often, much = run("50", 2.2)
check(rare >= 16, f"one in {rare} with a small budget")
check(often <= 4, f"one in {often} with a large budget")
# The first seconds are those in which the cost is found out.
check(little < 0.03, f"{100 * little:.2f} % where 1.5 % are allowed")
