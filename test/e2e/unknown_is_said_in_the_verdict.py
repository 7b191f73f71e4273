"""What a recording cannot tell stands in the verdict as unknown, not as a number: no period of one step, no step of a recording
without any, no GPU of one without kernels.
"""

from support.first_page import FIRST, FirstPage, check_near, page_of
from support.kineto_profile import Recording
from support.made_steps import training
from support.simulated_program import Program
from support.step_truth import Truth
from support.xsp_e2e import check, check_equal, work_folder

UNKNOWN = r"(not known|unknown|no steps?|none|1 step|2 steps|one step|two steps|without)"
work_folder()
for steps, item in ((1, True), (1, False), (2, True)):
    loop = training(steps=steps, item=item, ahead=None if item else 2, before=5)
    what = f"{steps} steps, {'item' if item else 'host ahead'}"
    truth, page = Truth(loop), page_of(loop)
    print(f"{what}: {truth}\n  {page.verdict}\n  {page.ids()}")
    row = page.row("A1")
    check_equal((row["n"], row["period_ms"]), (steps, None), f"{what}: n and period")
    check_near(row["latency_ms"], truth.latency, f"{what}: latency_ms", error=1e-5, share=1e-6)
    check(page.said("(?i)" + UNKNOWN), f"{what}: the verdict does not say that the period is not known: {page.verdict}")
    check(not page.said(r"images/s") or row["throughput_per_s"] is not None, f"{what}: a rate from nowhere: {page.verdict}")
    # Of windows that end with the last kernel; whether the marked step's own or any's is what matters with a host ahead.
    check_near(page.row("A15")["gpu_busy_pct"], truth.busy_pct, f"{what}: gpu_busy_pct", error=0.3, share=0)
    page.check_findings(truth.step)

program = Program()
with program.operator("aten::zeros", [[4, 4]]), program.operator("aten::empty", [[4, 4]]):
    program.work(500)
page = FirstPage(Recording(program, 1000).write("empty.json"))
print(f"two operators and nothing else:\n  {page.verdict}\n  {page.ids()}")
check(page.said("(?i)" + UNKNOWN), f"the verdict of an empty recording: {page.verdict}")
check(page.said_busy() is None and page.said_ms("^Step") is None, f"numbers of an empty recording: {page.verdict}")

loop = training(steps=8, item=True)
loop.recording = Recording(loop.program, 1, loop.begin, device=False)
truth, page = Truth(loop), page_of(loop)
print(f"host only: period {truth.period:.4g}\n  {page.verdict}\n  {page.ids()}")
check_near(page.row("A1")["period_ms"], truth.period, "host only: period_ms", error=1e-5, share=1e-9)
check_near(page.said_ms(FIRST), truth.period, f"host only: a step in the verdict, {page.verdict}")
check(page.said_busy() is None, f"host only: a busy share without kernels: {page.verdict}")
page.check_no_finding("gpu-idle", "launch-bound", "copies")
check(not any(row["gpu_busy_pct"] is not None for row in page.rows("A15")), "host only: gpu_busy_pct without kernels")
