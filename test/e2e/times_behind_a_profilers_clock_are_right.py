"""A profiler in the program may have records in a clock of its own, which stays CUPTI's when it is done: kernels behind its sessions
lie where they were on the host's clock. Versions from 12.6 to 13.0 leave the first ones without times: these are counted, and a
notice names the version that does not.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

ZERO_TIME = 9

work_folder()
for version, without in ((26, True), (130001, True), (130100, False)):
    for words, sessions in (["clock"], 1), (["clock", "twice"], 2):
        outcome = run_on_device(fake("profiles_itself"), *words, FAKE_CUPTI_VERSION=version).check_success()
        what = f"CUPTI {version}, {words}"
        recorded = [e for e in outcome.trace.kernels if e.name == "after_kernel"]
        lost = sum(process.losses.get(ZERO_TIME, 0) for process in outcome.trace.processes.values())
        check_equal(lost, sessions if without else 0, f"{what}: kernels without times")
        check_equal(len(recorded), 10 - lost, f"{what}: kernels behind the other profiler's sessions")
        ran = {line["correlation"]: line for line in outcome.truth_of("kernel")}
        errors = {e.correlation: e.begin - ran[e.correlation]["begin"] for e in outcome.trace.kernels}
        worst = max(errors.values(), key=abs)
        check(abs(worst) < 50_000, f"{what}: a kernel is {worst} ns from where it was: {errors}")
        check(all(e.launch is not None for e in outcome.trace.kernels), f"{what}: launches")
        told = [notice for notice in outcome.trace.notices if "without timestamps" in notice and "13.1 Update 1" in notice]
        check_equal(len(told), int(without), f"{what}: notices: {outcome.trace.notices}")
