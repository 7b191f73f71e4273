"""What CUPTI says that it has dropped is in Q1, and its warning is told; the others are whole."""
from support.played_recording import play
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
played = play("dropped_records").check_executions().check_losses(dropped=2)
check_equal((len(played.found()), played.quality["unmatched_launch"]), (4, 2), "kernels, and launches without one")
check(any("CUPTI warns: no buffer" in notice for notice in played.notices), f"notices: {played.notices}")
