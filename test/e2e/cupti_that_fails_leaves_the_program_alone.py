"""No driver, no CUPTI, a CUPTI that fails: the program runs as before, and the trace says what is missing and why."""
from support.fake_cuda import device_environment, fake, run_on_device
from support.xsp_e2e import check, check_equal, run, work_folder

work_folder()
plain = run(fake("inference"), 2, env=device_environment())
for case, environment, word in (
    ("a CUPTI that fails", {"misbehave": ["fails"]}, "CUPTI_ERROR_UNKNOWN"),
    ("no CUPTI", {"XSP_CUPTI": "/nonexistent/libcupti.so.13"}, "/nonexistent/libcupti.so.13"),
):
    outcome = run_on_device(fake("inference"), 2, **environment)
    check_equal((outcome.done.returncode, outcome.done.stdout), (plain.returncode, plain.stdout), f"{case}: the program")
    check_equal(outcome.trace.executions, [], f"{case}: executions")
    check(word in outcome.done.stderr, f"{case}: what xsp-run said of it: {outcome.done.stderr}")
    check_equal(len([s for s in outcome.trace.spans if s.name == "network"]), 2, f"{case}: model spans")
