"""Library calls outside the recording window reach their library as without us, and are not recorded."""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
outcome = compare(fake("linked"), options=("--delay", "1h")).check_unchanged()
check_equal(outcome.calls(), [], "calls before the delay is over")
check(len(outcome.log) > 0, "the program makes calls")
gaps = [(gap.level, gap.end) for gap in outcome.trace.gaps]
check_equal(gaps, [("application", 0)], "the gap from the start of the process on")
outcome = compare(fake("linked"), options=("--duration", "1h")).check_unchanged().check_recorded()
check_equal(outcome.trace.gaps, [], "gaps where the window holds the whole run")
