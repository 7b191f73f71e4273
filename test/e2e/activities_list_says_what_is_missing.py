"""--activities without kernels: the trace has the copies, and the report says that kernels were not recorded instead of
counting their launches as unanswered.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
outcome = run_on_device(fake("inference"), 3, options=["--activities", "memcpy,memset"]).check_success()
outcome.check_executions("memcpy", "memset")
check_equal(outcome.trace.kernels, [], "kernels in the trace")
tables = outcome.tables("A10", "Q1")
values = {row[0]: (row[2], row[3]) for row in tables["Q1"]["rows"] if row[1] == "all"}
check_equal(values["unmatched_launch"][0], 0, "launches of kernels that were not to be recorded")
check("not recorded" in values["unmatched_launch"][1], f"Q1 does not say so: {values['unmatched_launch']}")
check(any("kernels were not recorded (--activities memcpy,memset)" in note for note in tables["A10"]["notes"]), "A10's notes")
