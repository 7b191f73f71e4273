"""CUPTI's clock is another one than the host's, and may be a third one before CUDA is up: executions are where they were on
the host's clock.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for case in ({}, {"FAKE_CUPTI_OFFSET": 3_600_000_000_000}, {"FAKE_CUPTI_OFFSET": -86_400_000_000_000},
             {"misbehave": ["jump"]}):  # fmt: skip
    outcome = run_on_device(fake("inference"), 30, **case).check_success().check_executions()
    errors = [execution.begin - line["begin"] for line, execution in outcome.pairs()]
    check_equal(len(errors), 30 * 11, f"{case}: executions")
    worst = max(abs(error) for error in errors)
    check(worst < 20_000, f"{case}: an execution is {worst} ns from where it was")
