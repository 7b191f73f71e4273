"""Two models called in turn are two rows, each with the period, latency and n of its own calls."""

from support.first_page import check_near, page_of
from support.made_steps import Knobs, Loop, module_calls
from support.step_truth import Truth
from support.xsp_e2e import check_equal, work_folder

work_folder()
for clock, item, steps in ((1, True, 12), (1000, True, 20), (1, True, 9)):
    models = ("Generator", "Discriminator")
    loop = Loop(
        Knobs(backward=False, loader=False, marks=False, modules=True, item=item, clock=clock, steps=steps, seed=steps),
        models=models,
    )
    page = page_of(loop)
    print(f"{steps} calls in turn: {page.verdict}\n  {page.ids()}")
    rows = page.rows("A1")
    check_equal(sorted(row["model"] for row in rows), sorted(models), "models of A1")
    for model in models:
        calls = [call for call in module_calls(loop) if call.of.name == f"nn.Module: {model}_0"]
        truth = Truth(loop, calls, reach=False)
        what = f"{model}, {steps} calls in turn, clock of {clock} ns"
        print(f"{what}: {truth}")
        row = page.row("A1", model=model)
        check_equal(row["n"], truth.n, f"{what}: n")
        check_near(row["period_ms"], truth.period, f"{what}: period_ms", error=clock / 1e6, share=1e-9)
        check_near(row["latency_ms"], truth.latency, f"{what}: latency_ms", error=2 * clock / 1e6, share=1e-4)
        kernels = page.row("A15", model=model)
        check_near(kernels["own_kernel_ms"], truth.own_kernel, f"{what}: own_kernel_ms", error=0.003, share=0.002)
        check_near(kernels["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.5, share=0)
