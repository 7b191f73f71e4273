"""Kernels that end before they start are counted as such; the others are whole."""
from support.played_recording import play
from support.xsp_e2e import check_equal, work_folder

work_folder()
played = play("inverted_times").check_executions().check_losses(inverted=2)
check_equal((len(played.found()), played.quality["unmatched_launch"]), (4, 2), "kernels, and launches without one")
