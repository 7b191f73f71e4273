"""A buffer that ends within a record: libcupti 13.0.1 walks to the one before and says nothing. The others are whole, those of the
next buffer too; that one is missing shows in the launch without a kernel.
"""
from support.played_recording import play
from support.xsp_e2e import check_equal, work_folder

work_folder()
played = play("cut_record").check_executions().check_losses()
check_equal((len(played.found()), played.quality["unmatched_launch"]), (5, 1), "kernels, and launches without one")
