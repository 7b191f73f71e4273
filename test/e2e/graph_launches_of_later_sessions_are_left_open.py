"""Versions of CUPTI before 13.1 Update 1 give what a graph runs the id of another launch in every session but the first: behind a
profiler in the program these kernels have the layer in which they were captured, and no launch rather than a wrong one; a notice
says so, and one that that profiler is told wrong ones as well. Later versions get it right.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for version, is_wrong in ((130001, True), (130100, True), (130101, False)):
    outcome = run_on_device(fake("profiles_itself"), "graph", FAKE_CUPTI_VERSION=version).check_success()
    (gap,) = (gap for gap in outcome.trace.gaps if gap.reason == 1)
    kernels = [e for e in outcome.trace.kernels if e.name == "graph_kernel"]
    before, after = ([e for e in kernels if (e.begin < gap.begin) == first] for first in (True, False))
    check_equal((len(before), len(after)), (6, 6), f"{version}: kernels of graphs before and behind the other profiler's session")
    check_equal([e.launch.name for e in before], ["cudaGraphLaunch"] * 6, f"{version}: launches of the first session")
    found = [e.launch.name if e.launch else None for e in after]
    check_equal(found, [None if is_wrong else "cudaGraphLaunch"] * 6, f"{version}: launches of the second session")
    if not is_wrong:
        launched = [e.launch.correlation for e in after]
        check_equal(launched, sorted(launched), f"{version}: kernels in the order of their launches")
        check_equal(sorted(launched.count(id) for id in set(launched)), [2, 2, 2], f"{version}: two kernels a launch")
    check(all(e.capture is not None for e in kernels), f"{version}: spans in which their nodes were made")
    plain = [e for e in outcome.trace.kernels if e.name == "after_kernel"]
    check_equal([e.launch.name for e in plain], ["cudaLaunchKernel"] * 10, f"{version}: launches of kernels outside of graphs")
    for what in ("are recorded without a launch", "in what the program's own profiler records"):
        told = [notice for notice in outcome.trace.notices if what in notice and "13.1 Update 1" in notice]
        check_equal(len(told), int(is_wrong), f"{version}: notices: {outcome.trace.notices}")
