"""Where CUPTI's device buffers are at their limit, kernels of graphs have no times from then on (parcagpu#23): they are counted as
such, and those of before are whole.
"""
from support.played_recording import play
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
played = play("zero_times_in_a_long_run_of_graphs").check_executions().check_losses(zero_time=12)
check(any("CUDA graphs no timestamps" in notice for notice in played.notices), played.notices)
check_equal((len(played.found()), played.quality["unmatched_launch"]), (18, 4), "kernels, and launches without one")
