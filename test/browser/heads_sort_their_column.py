"""A click or Enter on a head sorts: numbers as numbers with the largest first, then the smallest, then the table's own
order; what has no value is last; equal rows stay in the table's order."""
from xsp_browser import *

trace = made_trace(layers=60, evaluations=3)
tables = tables_of(trace)
with Page(made_page(trace)) as page:
    table = page.table("A2")
    own = table.column("index")
    check_equal(own, [str(i) for i in range(60)], "the table begins in its own order")
    table.sort("latency_ms")
    check_equal(table.order("latency_ms"), "descending", "the first click puts the largest number first")
    latencies = numbers(table.column("latency_ms"))
    check_equal(latencies, sorted(latencies, reverse=True), "rows are in the order of latency")
    check(len(set(latencies)) < 60, "some layers are equally slow")
    pairs = list(zip(latencies, map(int, table.column("index"))))
    check_equal(pairs, sorted(pairs, key=lambda p: (-p[0], p[1])), "equal rows stay in the table's order")
    page.picture("sorted")
    table.sort("latency_ms")
    check_equal(table.order("latency_ms"), "ascending", "the second click puts the smallest first")
    check_equal(numbers(table.column("latency_ms")), sorted(latencies), "rows are in the order of latency")
    table.sort("latency_ms")
    check_equal(table.order("latency_ms"), "none", "the third click gives the table's own order")
    check_equal(table.column("index"), own, "rows are in the table's own order")

    table.sort("name")
    check_equal(table.order("name"), "ascending", "texts begin with the first")
    check_equal(table.column("name")[:3], ["BatchNorm2d_0", "BatchNorm2d_1", "BatchNorm2d_2"], "numbers in names count")
    check_equal(table.column("name")[10], "BatchNorm2d_10", "ten comes after nine")

    page.js("arguments[0].querySelector('button').focus()", table.head("index"))
    page.press(Keys.ENTER)
    check_equal(table.order("index"), "descending", "Enter on a head sorts")
    check_equal(table.column("index")[0], "59", "the last layer is first")
    page.press(Keys.ARROW_RIGHT, Keys.ENTER)
    check_equal(table.order("name"), "ascending", "the arrow goes to the next head")

    # Half of the kernels' work is not known: A8 has rows without gflops.
    table = page.table("A8")
    expected = [row[6] for row in tables["A8"]["rows"]]
    check(None in expected and any(value is not None for value in expected), "A8 has rows without gflops, and with")
    for order in ("descending", "ascending"):
        table.sort("gflops")
        got = numbers(table.column("gflops"))
        known = [value for value in got if value is not None]
        check_equal(got[: len(known)], sorted(known, reverse=order == "descending"), f"known values first, {order}")
        check_equal(set(got[len(known) :]), {None}, f"what has no value is last, {order}")
