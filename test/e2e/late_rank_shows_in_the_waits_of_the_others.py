"""Of ranks one of which is late all have its period; the others wait for it in their collectives, and their communication is
longer by as much. Ranks are rows of their own, never averaged, and the idle GPU is that of the late rank alone.
"""

from support.first_page import FirstPage, check_near
from support.made_steps import Knobs, ranks_of
from support.step_truth import Truth
from support.xsp_e2e import check_equal, work_folder

work_folder()
for late, ranks, clock in ((15, 3, 1), (6, 2, 1000), (40, 4, 1)):
    knobs = Knobs(bucket=800, item=True, late_ms=late, clock=clock, seed=late)
    loops = ranks_of(knobs, ranks)
    page = FirstPage(*(loop.recording.write(f"rank{loop.rank}.json") for loop in loops))
    print(f"{ranks} ranks, the last {late} ms late: {page.verdict}\n  {page.ids()}")
    names = []
    for loop in loops:
        what = f"{late} ms late, rank {loop.rank} of {ranks}"
        truth = Truth(loop)
        print(f"{what}: {truth}")
        of_rank = lambda table: [
            r for r in page.rows(table) if r.get("n") and str(r["process"]).startswith(f"rank {loop.rank} ")
        ]
        (times,), (kernels,) = of_rank("A1"), of_rank("A15")
        check_equal((times["n"], kernels["n"]), (truth.n, truth.n), f"{what}: n")
        check_near(times["period_ms"], truth.period, f"{what}: period_ms", error=clock / 1e6, share=1e-9)
        check_near(kernels["communication_ms"], truth.communication_ms, f"{what}: communication_ms", error=0.004, share=0.005)
        check_near(kernels["exposed_communication_ms"], truth.exposed_communication, f"{what}: exposed", error=0.03, share=0.01)
        check_near(kernels["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
        check_near(kernels["idle_ms"], truth.idle, f"{what}: idle_ms", error=truth.step * 0.01)
        names.append(times["process"])
    check_equal(len(set(names)), ranks, "ranks that have rows")
    page.check_findings(max(Truth(loop).step for loop in loops))
