"""Some versions of CUPTI give kernels at the head of a profiler's session times that are a day off (pytorch#192021): they are counted as
without a valid time, and the recording does not last a day.
"""
from support.played_recording import play
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
played = play("far_off_times").check_executions(lost={2, 4}).check_losses(zero_time=2)
check_equal(played.quality["unmatched_launch"], 2, "launches without a kernel")
times = [time for e in played.found() for time in (e.begin, e.end)]
check(max(times) - min(times) < 1e9, f"the kernels last from {min(times)} to {max(times)}")
