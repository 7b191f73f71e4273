"""A loader that lets the step wait is one finding, the first, that wins what the same program without the wait wins; where the
device has work meanwhile the wait costs nothing, and is none.
"""

from support.first_page import check_near, page_of
from support.made_steps import training
from support.step_truth import Truth
from support.xsp_e2e import check, check_equal, work_folder

SAME_CAUSE = ("gpu-idle", "input-stall", "host-bound", "launch-bound", "launch-bound-iterations", "time-outside-layers",
              "bottleneck-layer-type", "bottleneck-layer")  # fmt: skip
work_folder()
for stall, clock, pageable, steps in ((5, 1, 0, 8), (20, 1000, 0, 8), (70, 1000, 2000, 5), (12, 1, 1000, 20)):
    knobs = {"clock": clock, "pageable": pageable, "steps": steps, "item": True, "seed": stall}
    loop = training(input_ms=stall, **knobs)
    truth, page = Truth(loop), page_of(loop)
    gain = truth.period - Truth(training(**knobs)).period
    what = f"loader takes {stall} ms"
    print(f"{what}: {truth}, without it {gain:.4g} ms less\n  {page.verdict}\n  {page.ids()}")
    check_near(page.row("A15")["input_wait_ms"], truth.input_wait, f"{what}: input_wait_ms", error=0.002)
    check_near(page.said_ms("waits for input"), truth.input_wait, f"{what}: wait in the verdict, {page.verdict}")
    found = page.finding("input-wait")
    check_equal(page.findings[0], found, f"{what}: first of {page.ids()}")
    # The rest of the step has its own scatter, from run to run of the same program.
    check_near(found["gain_ms"], gain, f"{what}: what it wins", share=0.03)
    check_near(found["share_pct"], 100 * truth.input_wait / truth.step, f"{what}: share of the step", share=0.03)
    page.check_no_finding(*SAME_CAUSE)
    page.check_findings(truth.step)
    loader = page.rows("A2", type="DataLoader")
    check_near(sum(row["wait_ms"] for row in loader), truth.input_wait, f"{what}: wait_ms of A2", error=0.002)
    check_near(page.row("A6", type="DataLoader")["wait_ms"], truth.input_wait, f"{what}: wait_ms of A6", error=0.002)

# The host runs ahead, but not so far that the device has work all the while: the wait is longer than what it costs.
for stall, steps in ((12, 8), (30, 6)):
    loop, without = (training(input_ms=ms, ahead=3, before=7, steps=steps) for ms in (stall, 0))
    truth, page = Truth(loop), page_of(loop)
    gain = truth.period - Truth(without).period
    what = f"loader takes {stall} ms, the device works for a part of it"
    print(f"{what}: {truth}, without it {gain:.4g} ms less\n  {page.verdict}\n  {page.ids()}")
    check(gain < 0.8 * stall, f"{what}: all of the wait costs time")
    check_near(page.row("A15")["input_wait_ms"], truth.input_wait, f"{what}: input_wait_ms", error=0.002)
    check_near(page.finding("input-wait")["gain_ms"], gain, f"{what}: what it wins", share=0.1)
    page.check_no_finding(*SAME_CAUSE)
    page.check_findings(truth.step)

for stall in (2, 4):
    loop = training(input_ms=stall, ahead=3, before=7, kernel=300)
    truth, page = Truth(loop), page_of(loop)
    what = f"loader takes {stall} ms while the device works"
    print(f"{what}: {truth}\n  {page.verdict}\n  {page.ids()}")
    check(truth.busy_pct > 95, f"{what}: the device is to be busy")
    check_near(page.row("A15")["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
    page.check_no_finding("input-wait", "input-stall", "gpu-idle", "host-bound")
