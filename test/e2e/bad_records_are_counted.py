"""Records that CUPTI dropped, or gave no time or one that ends before it begins, are counted in Q1; the others are all there
and exact.
"""
from collections import Counter

from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder

work_folder()
for word, quantity in (("dropped", "dropped"), ("zero", "zero_time"), ("inverted", "inverted")):
    outcome = run_on_device(fake("inference"), 10, misbehave=[f"{word}=7"]).check_success()
    values = {row[0]: row[2] for row in outcome.tables("Q1")["Q1"]["rows"] if row[1] == "all"}
    check_equal(values[quantity], 7, f"{word}=7: {quantity}")
    whole = Counter((line["name"], line["correlation"], line["duration"]) for line in outcome.truth_of("kernel"))
    kept = Counter((e.name, e.correlation, e.duration) for e in outcome.trace.kernels if e.duration > 0)
    check_equal(sum(kept.values()), 10 * 8 - 7, f"{word}=7: kernels with their time")
    check_equal(kept - whole, Counter(), f"{word}=7: kernels that did not run so")
