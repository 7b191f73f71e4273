"""The field over a table keeps the rows with a text, a regular expression or conditions on columns, and says how many."""
from xsp_browser import *

trace = made_trace(layers=60, evaluations=3)
rows = tables_of(trace)["A2"]["rows"]
with Page(made_page(trace)) as page:
    table = page.table("A2")
    check_equal(table.count(), "60 rows", "all rows are counted")

    def kept(text, holds, what):
        table.filter(text)
        expected = [str(row[0]) for row in rows if holds(row)]
        check(0 < len(expected) < 60, f"{what} is a test")
        check_equal(table.column("index"), expected, what)
        check_equal(table.count(), f"{len(expected)} of 60 rows", f"{what}: counted")

    kept("conv2D_1", lambda row: row[1].lower().startswith("conv2d_1"), "a text in any case")
    kept("/^(relu|linear)_[1-3]$/", lambda row: row[2] in ("ReLU", "Linear") and row[1][-2:] in ("_1", "_2", "_3"),
         "a regular expression over whole cells")  # fmt: skip
    kept("latency_ms>0.0145", lambda row: row[4] > 0.0145, "a condition on a column")
    kept("index<=20 type=relu", lambda row: row[0] <= 20 and row[2] == "ReLU", "two conditions")
    kept("index >= 10 name~norm 2d_5", lambda row: "norm2d_5" in row[1].lower() and False or
         (row[0] >= 10 and "norm" in row[1].lower() and "2d_5" in row[1].lower()), "conditions and a text")  # fmt: skip
    kept("index!=3", lambda row: row[0] != 3, "a condition of inequality")
    page.picture("filtered")

    live = table.one(".count")
    check_equal(live.get_attribute("role") or live.tag_name, "output", "the count is said aloud")
    table.filter("nothing is called so")
    check_equal((table.rows(), table.count()), ([], "0 of 60 rows"), "nothing is kept that does not match")
    for text, problem in (("/conv(/", "no regular expression"), ("latency_ms>fast", "takes a number"), ("index>", "what?")):
        table.filter(text)
        check(problem in table.one(".problem").text, f"{text!r} is explained, not {table.one('.problem').text!r}")
        check_equal(len(table.rows()), 60, f"{text!r} hides nothing")
    table.filter("")
    check_equal((len(table.rows()), table.one(".problem").text), (60, ""), "without a text all rows are there")

    page.js("document.activeElement.blur()")
    page.press("/")
    check(page.js("return document.activeElement.closest('#A2') !== null && document.activeElement.type === 'search'"),
          "/ goes to the field of the section in view")  # fmt: skip
    page.press("conv2d_3")
    page.wait(lambda: table.column("name") == ["Conv2d_3"], "what is typed filters")
    page.press(Keys.ARROW_DOWN)
    check_equal(page.js("return document.activeElement.dataset.row"), "12", "the arrow goes from the field to the rows")
