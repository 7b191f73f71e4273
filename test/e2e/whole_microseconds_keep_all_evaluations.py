"""Operators shorter than the clock resolution, at other places in each step, make no other step of it: all evaluations are in
every table, and a layer's n is its own. The same program on a clock of 1 ns gives the same numbers.
"""

from support.first_page import check_near, page_of
from support.made_steps import training
from support.step_truth import Truth
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for seed, steps in ((1, 8), (2, 12), (3, 20), (4, 5)):
    pages = {}
    for clock in (1, 1000):
        loop = training(small_operators=True, item=True, steps=steps, seed=seed, clock=clock)
        truth, page = Truth(loop), page_of(loop)
        pages[clock] = page
        what = f"seed {seed}, {steps} steps, clock of {clock} ns"
        print(f"{what}: {truth}\n  {page.verdict}")
        check_equal([row["n"] for row in page.rows("A1")], [truth.n], f"{what}: n of A1")
        check_equal([row["n"] for row in page.rows("A15")], [truth.n], f"{what}: n of A15")
        check_near(page.row("A15")["own_kernel_ms"], truth.own_kernel, f"{what}: own_kernel_ms", error=0.003, share=0.002)
        for name, count in (("aten::conv2d", 6), ("aten::batch_norm", 6), ("aten::relu", 6), ("aten::linear", 1)):
            rows = page.layers("A2", name)
            check_equal(len(rows), count, f"{what}: rows of {name} in A2")
            if "n" in rows[0]:
                check_equal({row["n"] for row in rows}, {truth.n}, f"{what}: n of {name}")
        for table in ("A2", "A6", "A8", "A10", "A11", "A13"):
            said = [
                note
                for note in page.report[table]["notes"]
                if f"1 of {truth.n} evaluation" in note or "left out" in note and "warm-up" not in note
            ]
            check(not said, f"{what}: notes of {table}: {said}")
        page.check_findings(truth.step)
    # A layer is cut to whole microseconds at either end.
    for name in ("aten::conv2d", "aten::linear"):
        exact, coarse = ([row["latency_ms"] for row in pages[clock].layers("A2", name)] for clock in (1, 1000))
        for of_exact, of_coarse in zip(exact, coarse):
            check_near(of_coarse, of_exact, f"seed {seed}: {name} on either clock", error=0.0021, share=0)
