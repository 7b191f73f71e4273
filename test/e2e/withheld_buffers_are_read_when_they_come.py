"""CUPTI keeps a buffer as long as anything in it has not run (pytorch#195844): flushes bring nothing meanwhile, and when it comes
at last, by itself or by a later flush, every kernel of it is recorded.
"""
from played_recording import play
from xsp_e2e import check_equal, work_folder

work_folder()
played = play("withheld_buffers").check_executions().check_losses()
check_equal(len(played.found()), 40, "kernels")
check_equal(played.quality["unmatched_launch"], 0, "launches without a kernel")
