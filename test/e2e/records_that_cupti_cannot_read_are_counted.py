"""libcupti stops its walk through a buffer before a record of a kind that it does not know: what lies behind is lost, counted, and
told once. Those before it, and those of the next buffer, are whole.
"""
from support.played_recording import play
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
played = play("unknown_kind").check_executions().check_losses(dropped=1)
check_equal((len(played.found()), played.quality["unmatched_launch"]), (4, 2), "kernels, and launches without one")
check(any("cannot read" in notice for notice in played.notices), f"notices: {played.notices}")
