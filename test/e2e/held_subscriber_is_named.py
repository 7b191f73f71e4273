"""A tool that XSP does not see has CUPTI's subscriber: a notice names it where the version tells, its records are left alone, and
library calls are recorded all the same.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for cupti in (13, 12):
    outcome = run_on_device(fake("inference"), 4, cupti=cupti, misbehave=["held"]).check_success()
    said = outcome.done.stderr + " ".join(outcome.trace.notices)
    check("subscriber" in said, f"nothing about the subscriber: {said}")
    check(("nsight-systems" in said) == (cupti == 13), f"the holder's name: {said}")
    check_equal(outcome.trace.executions, [], "records that were that tool's")
    calls = [s.name for s in outcome.trace.spans if s.level == "library"]
    check("cublasSgemm_v2" in calls, f"library calls: {calls[:5]}")
