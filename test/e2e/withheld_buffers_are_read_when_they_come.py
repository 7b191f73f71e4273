"""CUPTI keeps a buffer as long as anything in it has not run (pytorch#195844): flushes bring nothing meanwhile, and when it comes
at last, by itself or by a later flush, every kernel of it is recorded. A program that is killed then has them, too.
"""
from support.played_recording import play
from support.xsp_e2e import check_equal, work_folder

work_folder()
for words in ((), ("kill",)):
    played = play("withheld_buffers", *words).check_executions().check_losses()
    check_equal(len(played.found()), 40, f"{words}: kernels")
    check_equal(played.quality["unmatched_launch"], 0, f"{words}: launches without a kernel")
    check_equal(played.quality["processes_killed"], len(words), f"{words}: killed processes")
