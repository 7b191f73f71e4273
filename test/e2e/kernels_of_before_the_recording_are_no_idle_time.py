"""A recording that begins within a step has kernels whose launches it did not see, and ends within one: the GPU is as busy as it
is, what ran for no evaluation is said, and only whole steps are counted.
"""

from support.first_page import check_near, page_of
from support.made_steps import training
from support.step_truth import Truth
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for ahead, clock, cut, steps in ((1, 1, True, 6), (3, 1000, True, 8), (3, 1, False, 8), (5, 1, True, 3)):
    loop = training(ahead=ahead, before=ahead + 4, clock=clock, cut=cut, steps=steps, seed=steps + ahead)
    what = f"{ahead} ahead, {steps} steps, {'cut in steps' if cut else 'from step to step'}"
    launched = {c.of.correlation for c in loop.recording.calls}
    orphans = sum(e.of.kind == "kernel" and e.of.correlation not in launched for e in loop.recording.executions)
    check(orphans > 20, f"{what}: {orphans} kernels without a launch test nothing")
    truth, page = Truth(loop), page_of(loop)
    print(f"{what}: {orphans} kernels without launches, {truth}\n  {page.verdict}")
    row = page.row("A15", n=truth.n)
    check_near(row["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
    check_near(row["own_kernel_ms"], truth.own_kernel, f"{what}: own_kernel_ms", error=0.003, share=0.002)
    check_equal(page.row("A1")["n"], truth.n, f"{what}: n")
    if truth.period is not None:
        page.check_verdict(truth.period, truth.busy_pct)
    page.check_no_finding("gpu-idle", "launch-bound")
    page.check_findings(truth.step)
    said = " ".join(page.report["A15"]["notes"] + [f["title"] for f in page.findings] + [page.verdict])
    check(str(orphans) in said or "before" in said, f"{what}: nothing says that kernels of before run: {said}")
