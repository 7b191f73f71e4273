"""Steps of training follow each other by the period, however long the host is ahead and a step's own window is; calls that do not
overlap are as fast as their latency. What throughput is computed from is said.
"""

from support.first_page import check_near, page_of
from support.made_steps import inference, module_calls, training
from support.step_truth import Truth
from support.xsp_e2e import check_equal, work_folder

work_folder()
for ahead, batch, clock, steps in ((1, 32, 1, 8), (2, 8, 1000, 12), (4, 64, 1, 6), (None, 32, 1000, 5)):
    loop = training(ahead=ahead, before=(ahead or 0) + 3, batch=batch, clock=clock, steps=steps, item=ahead is None, seed=steps)
    what = f"{steps} steps, {ahead or 0} ahead, clock of {clock} ns"
    truth, page = Truth(loop), page_of(loop)
    print(f"{what}: {truth}\n  {page.verdict}")
    row = page.row("A1")
    check_equal((row["n"], row["throughput_of"], row["batch_size"]), (truth.n, "period", batch), what)
    check_near(row["period_ms"], truth.period, f"{what}: period_ms", error=clock / 1e6, share=1e-9)
    check_near(row["latency_ms"], truth.latency, f"{what}: latency_ms", error=2 * clock / 1e6, share=1e-4)
    check_near(row["throughput_per_s"], 1000 * batch / row["period_ms"], f"{what}: throughput_per_s", share=1e-6)
    page.check_verdict(truth.period, truth.busy_pct, 1000 * batch / truth.period)

for ahead, item, expected in ((None, True, "latency"), (3, False, "period")):
    loop = inference(ahead=ahead, item=item, steps=10, before=6)
    what = f"calls, throughput by {expected}"
    truth, page = Truth(loop, module_calls(loop), reach=expected == "period"), page_of(loop)
    print(f"{what}: {truth}\n  {page.verdict}")
    row = page.row("A1")
    check_equal((row["n"], row["throughput_of"]), (truth.n, expected), what)
    check_near(row["period_ms"], truth.period, f"{what}: period_ms", error=1e-6, share=1e-9)
    check_near(row["latency_ms"], truth.latency, f"{what}: latency_ms", error=1e-6, share=1e-4)
    of = truth.period if expected == "period" else truth.latency
    check_near(row["throughput_per_s"], 1000 * 32 / of, f"{what}: throughput_per_s", share=1e-3)
