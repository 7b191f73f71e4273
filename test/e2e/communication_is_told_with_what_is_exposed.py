"""All-reduces run on a stream of their own, in part behind other kernels: how long, and how much of it nothing else runs beside,
is told for each rank, and is a finding where it is worth one.
"""

from support.first_page import FirstPage, check_near
from support.made_steps import Knobs, ranks_of
from support.step_truth import Truth
from support.xsp_e2e import check, work_folder

work_folder()
for bucket, buckets, kernel, clock, ranks in (
    (1500, 3, 200, 1, 2),
    (150, 6, 400, 1000, 2),
    (4000, 2, 100, 1, 3),
    (100, 3, 400, 1000, 1),
):
    knobs = Knobs(bucket=bucket, buckets=buckets, kernel=kernel, clock=clock, ahead=2, before=6, seed=bucket)
    loops = ranks_of(knobs, ranks)
    page = FirstPage(*(loop.recording.write(f"rank{loop.rank}.json") for loop in loops))
    for loop in loops:
        what = f"{buckets} buckets of {bucket} µs, rank {loop.rank} of {ranks}"
        truth = Truth(loop)
        print(f"{what}: {truth}")
        rows = [
            row
            for row in page.rows("A15")
            if row.get("n") and (ranks == 1 or str(row["process"]).startswith(f"rank {loop.rank} "))
        ]
        check(len(rows) == 1, f"{what}: {len(rows)} rows of A15")
        check_near(
            rows[0]["communication_ms"], truth.communication_ms, f"{what}: communication_ms", error=buckets * 0.001, share=0.002
        )
        check_near(rows[0]["exposed_communication_ms"], truth.exposed_communication, f"{what}: exposed_communication_ms",
                   error=buckets * 0.002 + 0.02, share=0.005)  # fmt: skip
        check_near(rows[0]["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
        check_near(rows[0]["own_kernel_ms"], truth.own_kernel, f"{what}: own_kernel_ms", error=0.003, share=0.005)
    print(f"  {page.verdict}\n  {page.ids()}")
    truth = Truth(loops[0])
    exposed = truth.exposed_communication / truth.step
    check(exposed < 0.02 or exposed > 0.15, f"{what}: exposed for {exposed:.3f} of a step decides nothing")
    if exposed > 0.15:
        found = page.finding("communication")
        check_near(found["gain_ms"], truth.exposed_communication, f"{what}: what the finding wins", share=0.05)
    else:
        page.check_no_finding("communication")
    page.check_no_finding("bottleneck-kernel" if exposed > 0.15 else "gpu-idle")
    page.check_findings(truth.step)
