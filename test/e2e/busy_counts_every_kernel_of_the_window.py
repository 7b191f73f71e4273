"""Where the host runs ahead, a step's window is full of kernels of the steps before: the GPU is busy as long as any kernel runs,
whoever launched it, and own_kernel_ms beside it has the step's own. An idle GPU or launches are then no finding.
"""

from support.first_page import check_near, page_of
from support.made_steps import inference, module_calls, training
from support.step_truth import Truth
from support.xsp_e2e import check, work_folder

work_folder()
cases = [(f"{ahead} ahead, clock of {clock} ns", training(ahead=ahead, before=ahead + 3, clock=clock, kernel=kernel, seed=ahead))
         for ahead, clock, kernel in ((1, 1, 200), (2, 1000, 200), (3, 1, 90), (5, 1000, 400))]  # fmt: skip
cases += [
    (f"{host} µs of host for an operator, no run ahead", training(item=True, host=host, kernel=60, seed=host))
    for host in (30, 60)
]
for what, loop in cases:
    truth, page = Truth(loop), page_of(loop)
    print(f"{what}: {truth}\n  {page.verdict}")
    row = page.row("A15")
    # The windows of the last step end where its last execution does, or before it: so little may a clock move them.
    check_near(row["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct of A15", error=0.3, share=0)
    check_near(row["own_kernel_ms"], truth.own_kernel, f"{what}: own_kernel_ms", error=0.003, share=0.002)
    # Of a step, which is shorter than its window where the host runs ahead.
    idle = truth.step * (1 - truth.busy_pct / 100)
    check_near(row["idle_ms"], idle, f"{what}: idle_ms", error=truth.step * 0.01)
    check_near(page.row("A1")["n"], truth.n, f"{what}: n of A1", share=0)
    page.check_verdict(truth.period, truth.busy_pct)
    page.check_findings(truth.step)
    if truth.busy_pct > 90:
        page.check_no_finding("gpu-idle", "launch-bound", "host-bound", "launch-bound-iterations", "time-outside-layers")
    else:
        check(truth.busy_pct < 75, f"{what}: busy for {truth.busy_pct:.1f} % decides nothing")
        check({"gpu-idle", "launch-bound"} & set(page.ids()), f"{what}: an idle GPU is no finding: {page.ids()}")

# Calls of a model whose windows overlap, without marks of steps.
loop = inference(ahead=3, before=6, steps=12)
truth, page = Truth(loop, module_calls(loop)), page_of(loop)
print(f"inference, 3 ahead: {truth}\n  {page.verdict}")
check_near(page.row("A15")["gpu_busy_pct"], truth.busy_pct, "inference, 3 ahead: gpu_busy_pct", error=0.3, share=0)
page.check_no_finding("gpu-idle", "launch-bound")
