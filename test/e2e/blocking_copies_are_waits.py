"""Time in a blocking copy or a synchronisation is no work of the layer around it: wait_ms of A2, A6 and A13 has it, A15 its sum,
and the finding names what was waited for: kernels, or nothing but the copy.
"""

import re

from support.first_page import check_near, page_of
from support.made_steps import training
from support.step_truth import Truth
from support.xsp_e2e import check, work_folder

work_folder()
for pageable, item, clock, kernel in ((0, True, 1, 200), (3000, False, 1, 200), (3000, True, 1000, 100), (800, True, 1, 400)):
    loop = training(pageable=pageable, item=item, clock=clock, kernel=kernel, seed=kernel)
    truth, page = Truth(loop), page_of(loop)
    what = f"copies of {pageable} µs, {'item' if item else 'no item'}, clock of {clock} ns"
    print(f"{what}: {truth}\n  {page.verdict}\n  {page.ids()}")
    check_near(page.row("A15")["sync_wait_ms"], truth.sync_wait, f"{what}: sync_wait_ms", error=0.02)
    for layer in ["aten::to"] * bool(pageable) + ["aten::item"] * item:
        waits = truth.waits_of(layer)
        for table in ("A2", "A6", "A13"):
            rows = page.layers(table, layer)
            check(rows, f"{what}: {table} has no {layer}")
            check_near(sum(row["wait_ms"] for row in rows), waits, f"{what}: wait_ms of {layer} in {table}", error=0.01)
    layers = page.layers("A2", "aten::conv2d")
    check(
        layers and not any(row["wait_ms"] for row in layers), f"{what}: layers that only launch wait for nothing: {layers[:2]}"
    )
    # None of what the layer waits for is its work: no layer that waits is the bottleneck.
    for finding in page.findings:
        check(not finding["id"].startswith("bottleneck") or not re.search("aten::(to|item)|^(to|item)\\b", finding["title"]),
              f"{what}: a wait as a bottleneck: {finding['title']}")  # fmt: skip
    page.check_findings(truth.step)

# What is waited for: with the kernels that ran meanwhile no time is to be won, with a host that has nothing to run there is.
loop = training(item=True, kernel=400)
truth, page = Truth(loop), page_of(loop)
check(truth.busy_pct > 95, f"the device is to be busy: {truth}")
for finding in page.findings:
    if finding["id"] == "sync-wait":
        check(
            finding["gain_ms"] <= truth.idle + 0.01 * truth.step,
            f"waiting for a busy device wins {finding['gain_ms']} of {truth.idle} ms idle",
        )
loop = training(item=True, kernel=40, host=40)
truth, page = Truth(loop), page_of(loop)
print(f"small kernels, slow host: {truth}\n  {page.verdict}\n  {page.ids()}")
check_near(page.row("A15")["gpu_busy_pct"], truth.busy_pct, "slow host: gpu_busy_pct", error=0.3, share=0)
check(truth.busy_pct < 75 and {"gpu-idle", "launch-bound", "sync-wait"} & set(page.ids()), f"slow host: {page.ids()}")
