"""Handles and weights are made once: what they take is no part of a step, wherever the recording began. Marked steps, and steps
that are found by their repetition, give the same page with a start-up before them as without.
"""

from support.first_page import FIRST, check_near, page_of
from support.made_steps import inference, training
from support.simulated_program import MS
from support.step_truth import Truth
from support.xsp_e2e import check, work_folder

work_folder()
for clock, item, steps in ((1, True, 8), (1000, True, 12), (1, False, 8)):
    loop = training(start_up=True, item=item, clock=clock, steps=steps, ahead=None if item else 2)
    what = f"{steps} marked steps behind a start-up, clock of {clock} ns"
    truth, page = Truth(loop), page_of(loop)
    before = (loop.recording.steps[0].begin - loop.recording.begin) / MS
    check(before > 20 * truth.period, f"{what}: a start-up of {before} ms tests nothing")
    print(f"{what}: start-up {before:.0f} ms, {truth}\n  {page.verdict}\n  {page.ids()}")
    check_near(page.row("A1")["period_ms"], truth.period, f"{what}: period_ms", error=clock / MS, share=1e-9)
    row = page.row("A15", n=truth.n)
    check_near(row["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
    check_near(row["sync_wait_ms"], truth.sync_wait, f"{what}: sync_wait_ms", error=0.02)
    page.check_verdict(truth.period, truth.busy_pct)
    page.check_findings(truth.step)
    page.check_no_finding(
        "copies", "copy-bound", "gpu-idle", "graph-growth", "iteration-warm-up", "input-stall", "host-bound", "iterations"
    )

# Nothing is marked: the loop that the operations repeat is what the findings are of.
for steps in (20, 40):
    loop = training(start_up=True, item=True, marks=False, steps=steps, kernel=400)
    what = f"{steps} steps without marks behind a start-up"
    truth, page = Truth(loop), page_of(loop)
    print(f"{what}: {truth}\n  {page.verdict}\n  {page.ids()}")
    page.check_findings(truth.step)
    page.check_no_finding("copies", "copy-bound", "gpu-idle", "host-bound")
    check_near(page.said_ms(FIRST), truth.period, f"{what}: the loop's period in the verdict, {page.verdict}")
    check_near(page.said_busy(), truth.busy_pct, f"{what}: busy share in the verdict, {page.verdict}", error=1, share=0)

# A loop that has less than half of the device's time says nothing of the program.
loop = training(start_up=True, item=True, marks=False, steps=8, kernel=50)
device = [(e.begin >= loop.recording.steps[0].begin, e.end - e.begin) for e in loop.recording.executions]
share = sum(time for steady, time in device if steady) / sum(time for _, time in device)
check(share < 0.4, f"a loop of {share:.2f} of the device's time")
page = page_of(loop)
print(f"a loop of {share:.2f} of the device's time:\n  {page.verdict}\n  {page.ids()}")
page.check_no_finding("iterations", "iteration-warm-up", "graph-growth", "iteration-drift", "input-stall", "periodic-work",
                      "iteration-outliers", "copy-bound", "host-bound", "launch-bound-iterations")  # fmt: skip

# No loop at all, but a start-up: nothing is said of steps.
loop = inference(start_up=True, steps=0)
page = page_of(loop)
print(f"a start-up alone:\n  {page.verdict}\n  {page.ids()}")
page.check_no_finding("copies", "copy-bound", "gpu-idle", "host-bound", "launch-bound", "input-stall")
check(page.said_ms("^Step") is None, f"a step where there was none: {page.verdict}")
