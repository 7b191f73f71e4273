"""A ProfilerStep is a step of the model that is called in it, not a model; what only keeps books (sums of gradients, views) is one
row of the layers, not as many as there are weights.
"""

from support.first_page import check_near, page_of
from support.made_steps import training
from support.step_truth import Truth
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for clock, small in ((1, False), (1000, True)):
    loop = training(modules=True, item=True, clock=clock, small_operators=small)
    truth, page = Truth(loop), page_of(loop)
    what = f"modules in steps, clock of {clock} ns"
    print(f"{what}: {truth}\n  {page.verdict}\n  {page.ids()}")
    row = page.row("A1")
    check_equal((row["model"], row["n"]), ("Net", truth.n), f"{what}: model and n")
    check_near(row["period_ms"], truth.period, f"{what}: period_ms", error=clock / 1e6, share=1e-9)
    page.check_verdict(truth.period, truth.busy_pct)
    for kept in ("AccumulateGrad", "lift_fresh", "resolve_conj"):
        rows = [r for r in page.rows("A2") if kept in f"{r['name']} {r['type']}"]
        check(len(rows) <= 1, f"{what}: {len(rows)} rows of A2 for {kept}")
    for index in range(6):
        modules = [r for r in page.rows("A2") if f"Conv2d_{index}" in r["name"]]
        check_equal(len(modules), 1, f"{what}: rows of Conv2d_{index} in A2: {[r['name'] for r in page.rows('A2')][:8]}")
    page.check_findings(truth.step)
