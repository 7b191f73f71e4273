"""A page of 100,000 spans answers within 1.5 s in a headless browser; the best of three, for machines have other work."""
from xsp_browser import *

MOST_MS = 1500
trace = made_trace(layers=2500, evaluations=10)  # of 4 spans each: module, operator, launch and kernel
spans = json.loads(run(XSP_REPORT, "-q", "--format", "json", "-a", "Q1", trace))["xsp"]["traces"][0]["spans"]
path = made_page(trace)
print(f"{spans} spans, {path.stat().st_size / 1e6:.2f} MB")
times = []
for _ in range(3):
    with Page(path) as page:
        times.append(page.js("return performance.getEntriesByName('xsp-interactive')[0].startTime"))
        page.js("document.querySelector('#contents a[href=\"#A2\"]').click()")
        page.wait(lambda: page.all("#A2 .table-view"), "what is come to next is worked with", seconds=10)
print("interactive after", ", ".join(f"{time:.0f} ms" for time in times))
check(spans >= 75_000, f"the trace has as many spans as is said ({spans})")
check(min(times) <= MOST_MS, f"interactive within {MOST_MS} ms: {times}")
check(path.stat().st_size <= 4_000_000, f"the page has at most 4 MB: {path.stat().st_size}")
