"""A kernel's record may come before its launch has returned, on the launching thread or another one, and records come in no order:
each finds its launch.
"""
from support.played_recording import play
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
played = play("records_overtake_their_launch").check_executions().check_losses()
check_equal(played.quality["unmatched_launch"], 0, "launches without a kernel")
early = {e.name: e for e in played.found()}
for name in ("slow_to_return", "of_another_thread"):
    check(early[name].end < early[name].launch.end, f"{name}: the recording does not have it run before its launch returns")
check_equal(len({e.launch.thread for e in played.found()}), 2, "threads that launched")
