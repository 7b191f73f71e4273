"""CUPTI hands records over unordered, only when it is told to, in small buffers, on threads of its own or the program's:
nothing is lost and everything has its launch.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for words in (["unordered"], ["late"], ["unordered", "late", "small=512"], ["threads"], ["program_thread"]):
    outcome = run_on_device(fake("inference"), 20, "threads", misbehave=words).check_success()
    outcome.check_executions().check_launches()
    check_equal(len(outcome.truth), 2 * 20 * 11, "what ran")
    values = {row[0]: row[2] for row in outcome.tables("Q1")["Q1"]["rows"] if row[1] == "all"}
    for quantity in ("dropped", "zero_time", "inverted", "unmatched_execution"):
        check_equal(values[quantity], 0, f"{words}: {quantity}")
