"""The first kernels behind a registration of a timestamp callback have no times (CUPTI 12.6 Update 2 to 13.0): they are counted as
such, and the others are whole.
"""
from support.played_recording import play
from support.xsp_e2e import check_equal, work_folder

work_folder()
played = play("zero_times_behind_a_clock_change").check_executions().check_losses(zero_time=3)
check_equal((len(played.found()), played.quality["unmatched_launch"]), (5, 3), "kernels, and launches without one")
