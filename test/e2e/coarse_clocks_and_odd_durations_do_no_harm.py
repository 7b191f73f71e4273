"""A clock of 1 ms tells periods to 1 ms, and busy shares as its file has them; events that end before they begin, or at once,
change no number of the first page.
"""

from support.first_page import check_near, page_of
from support.made_steps import LOADER, training
from support.simulated_program import MS
from support.step_truth import Truth
from support.xsp_e2e import check_equal, work_folder

work_folder()
for kernel, steps in ((20_000, 6), (50_000, 8)):
    loop = training(kernel=kernel, item=True, steps=steps, clock=MS, host=400)
    truth, page = Truth(loop), page_of(loop)
    what = f"kernels of {kernel} µs on a clock of 1 ms"
    print(f"{what}: {truth}\n  {page.verdict}")
    check_equal(page.row("A1")["n"], truth.n, f"{what}: n")
    check_near(page.row("A1")["period_ms"], truth.period, f"{what}: period_ms", error=1e-6, share=1e-9)
    check_near(page.row("A15")["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
    page.check_verdict(truth.period, truth.busy_pct)

for clock in (1, 1000):
    loop = training(item=True, clock=clock, input_ms=3)
    truth, plain = Truth(loop), page_of(loop)
    events = loop.recording.events()
    inside = next(e for e in events if e["name"] == "aten::conv2d")
    kernel = next(e for e in events if e.get("cat") == "kernel")
    extra = [{**inside, "name": "aten::detach", "dur": 0, "ts": inside["ts"]}, {**inside, "name": "aten::detach", "dur": -5},
             {**kernel, "name": "odd_kernel", "dur": -3, "args": {**kernel["args"], "correlation": 900_001}},
             {**kernel, "name": "odd_kernel", "dur": 0, "args": {**kernel["args"], "correlation": 900_002}},
             {**inside, "cat": "user_annotation", "name": LOADER, "dur": 0, "args": {}}]  # fmt: skip
    page = page_of(loop, "odd.json", extra)
    what = f"odd durations, clock of {clock} ns"
    print(f"{what}: {truth}\n  {page.verdict}")
    for table, columns in (
        ("A1", ("n", "period_ms", "latency_ms")),
        ("A15", ("gpu_busy_pct", "own_kernel_ms", "input_wait_ms", "sync_wait_ms")),
    ):
        (before,), (after,) = ([r for r in p.rows(table) if r.get("n")] for p in (plain, page))
        for column in columns:
            check_near(after[column], before[column], f"{what}: {column} of {table}", error=1e-9, share=1e-9)
    check_near(page.row("A1")["period_ms"], truth.period, f"{what}: period_ms", error=1e-6, share=1e-9)
    check_near(page.row("A15", n=truth.n)["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
    page.check_findings(truth.step)
