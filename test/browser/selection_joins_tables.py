"""A row selects what it is of in every table: a layer its rows in A2, A3, A11 and its kernels in A8; the table that shows
it scrolls to it; the same row again, or Escape, takes the selection back."""
from xsp_browser import *

trace = made_trace(layers=400)
tables = tables_of(trace)
with Page(made_page(trace)) as page:
    a8 = page.table("A8")
    a2 = page.table("A2")
    a2.filter("index=333")
    a2.click_row(333)
    check_equal(a2.selected(), [333], "the row is selected")
    check_equal(a2.count(), "1 of 400 rows, 1 selected", "the selection is counted")
    expected = [i for i, row in enumerate(tables["A8"]["rows"]) if row[1] == 333]
    a3 = page.table("A3")
    check_equal(a3.selected(), [333], "a table that comes into view later shows the selection")
    page.picture("selected")
    a8 = page.table("A8")
    page.wait(lambda: a8.selected() == expected, "the kernels of the layer are selected in A8")
    page.wait(lambda: page.js("""
      const row = document.querySelector("#A8 tr.selected").getBoundingClientRect();
      const box = document.querySelector("#A8 .table-view .rows").getBoundingClientRect();
      return row.top >= box.top && row.bottom <= box.bottom;"""), "A8 scrolls to them in its box", seconds=5)
    a8.filter("layer_index<300")
    check("hidden by the filter" in a8.count(), f"a selection that the filter hides is told: {a8.count()}")
    page.js("document.activeElement.blur()")
    page.press(Keys.ESCAPE)
    check_equal((a2.selected(), a3.selected()), ([], []), "Escape takes the selection back everywhere")

    a6 = page.table("A6")
    conv = next(i for i, row in enumerate(tables["A6"]["rows"]) if row[0] == "Conv2d")
    a6.click_row(conv)
    a2.filter("")
    page.table("A2")
    chosen = {tables["A2"]["rows"][number][2] for number in a2.selected()}
    check_equal(chosen, {"Conv2d"}, "a layer type selects its layers")
    check("100 selected" in a2.count(), f"all of them: {a2.count()}")
    a6 = page.table("A6")
    a6.click_row(conv)
    check_equal(a6.selected(), [], "the same row again takes the selection back")
