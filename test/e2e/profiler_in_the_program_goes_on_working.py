"""A program that profiles itself by CUPTI gets the same records as without XSP, before, during and after; XSP's kernels lack
only that time, and the gap is in the trace and in Q1.
"""
from collections import Counter

from support.fake_cuda import device_environment, fake, run_on_device
from support.xsp_e2e import check, check_equal, run, work_folder

work_folder()
for words in ([], ["early"], ["finalize"], ["twice"], ["early", "twice"]):
    plain = run(fake("profiles_itself"), *words, env=device_environment())
    outcome = run_on_device(fake("profiles_itself"), *words).check_success()
    check_equal(outcome.done.stdout, plain.stdout, f"{words}: what the program's own profiler was told")
    parts = Counter(e.name for e in outcome.trace.kernels)
    check_equal(parts["before_kernel"], 10, f"{words}: kernels before")
    check_equal(parts["after_kernel"], 10, f"{words}: kernels after")
    check_equal(parts["during_kernel"], 0, f"{words}: kernels that the other one has")
    check([g for g in outcome.trace.gaps if g.reason == 1], f"{words}: no gap in the trace: {outcome.trace.gaps}")
    q1 = outcome.tables("Q1")["Q1"]
    check("profiler" in str(q1), f"{words}: no word of it in Q1")
