"""Tables of 20,000 layers are sorted, filtered and scrolled at once: few rows are elements, and each is where it belongs."""
import time

from xsp_browser import *

LAYERS = 20_000
with Page(made_page(made_trace(layers=LAYERS, launches=False))) as page:
    table = page.table("A2")
    check_equal(table.count(), f"{LAYERS:,} rows", "all layers are in the page")

    def timed(what, action):
        begin = time.monotonic()
        action()
        page.settle()
        took = time.monotonic() - begin
        print(f"{what}: {1000 * took:.0f} ms")
        check(took < 3, f"{what} takes {took:.1f} s")

    for share in (0.25, 0.5, 0.9999, 0.1):
        timed("scroll", lambda: page.js(
            "const b = document.querySelector('#A2 .table-view .rows'); b.scrollTop = arguments[0] * b.scrollHeight", share))
        check(len(table.rows()) < 200, f"few rows are elements ({len(table.rows())})")
        seen = page.js("""
          const box = document.querySelector("#A2 .table-view .rows").getBoundingClientRect();
          return [...document.querySelectorAll("#A2 .table-view tr[data-row]")].map((row) => [row.getBoundingClientRect(), row])
            .filter(([place]) => place.bottom > box.top + 40 && place.top < box.bottom).map(([, row]) => Number(row.dataset.row));""")
        check(len(seen) > 10, f"the view is filled with rows at {share}: {seen}")
        expected = min(share * LAYERS, LAYERS - 1)
        check(seen[0] - 40 <= expected <= seen[-1] + 40, f"row {expected} is at its place, not {seen[0]} to {seen[-1]}")
    timed("sort", lambda: table.sort("latency_ms"))
    timed("sort by name", lambda: table.sort("name"))
    check_equal(table.column("name")[:2], ["BatchNorm2d_0", "BatchNorm2d_1"], "sorted by name")
    timed("filter", lambda: table.filter("/conv.*99$/"))
    check_equal(table.count(), f"50 of {LAYERS:,} rows", "filtered")
    table.filter("")
    timed("select", lambda: table.click_row(table.rows()[3]))
    check_equal(len(table.selected()), 1, "selected")
    for section in ("A3", "A4", "A11", "A13"):
        if page.all(f"#{section} table"):
            timed(f"show {section}", lambda: page.table(section))
    overflow, what = page.overflow()
    check(overflow <= 0, f"nothing is wider than the page: {overflow} px: {what}")
    page.picture("many-layers")
