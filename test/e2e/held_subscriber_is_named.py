"""Another one has CUPTI's subscriber: the notice names it where the version tells, kernels are recorded all the same, and the
calls that launched them.
"""
from fake_cuda import fake, run_on_device
from xsp_e2e import check, check_equal, work_folder

work_folder()
for cupti in (13, 12):
    outcome = run_on_device(fake("inference"), 4, cupti=cupti, misbehave=["held"]).check_success().check_executions()
    said = outcome.done.stderr + " ".join(outcome.trace.notices)
    check("subscriber" in said, f"nothing about the subscriber: {said}")
    check(("nsight-systems" in said) == (cupti == 13), f"the holder's name: {said}")
    for line, execution in outcome.pairs():
        check(execution.launch is not None, f"no launch for {line}")
        check_equal(execution.launch.name, line["api"], f"launch of {line['name']}")
        check_equal(execution.launch.thread, line["thread"], "thread of the launch")
