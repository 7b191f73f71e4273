"""Behind a fatal error CUPTI ends itself and nothing more comes: what ran before is whole, and a notice and a gap to the end say that
the rest is not recorded.
"""
from support.played_recording import play
from support.xsp_e2e import check, check_equal, work_folder

CUPTI_FAILED = 6

work_folder()
played = play("fatal_error").check_executions().check_losses()
check_equal([e.name for e in played.found()], ["before"] * 4, "kernels")
(notice,) = played.notices
check("shut itself down: device buffers are gone" in notice, notice)
(gap,) = played.trace.gaps
check_equal(gap.reason, CUPTI_FAILED, "reason of the gap")
check(gap.begin > max(e.end for e in played.found()), "the gap begins before the last kernel has run")
