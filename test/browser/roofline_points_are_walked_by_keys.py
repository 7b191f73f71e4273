"""Keys walk a roofline from its heaviest point, the card says the cells of the row, and Enter selects it in A9."""
from xsp_browser import *

trace = made_trace(layers=12)
table = tables_of(trace)["A9"]
column = {each["name"]: i for i, each in enumerate(table["columns"])}
drawn = [i for i, row in enumerate(table["rows"]) if row[column["arithmetic_intensity"]] and row[column["throughput_tflops"]]]
heaviest = sorted(drawn, key=lambda i: (-table["rows"][i][column["latency_ms"]], i))

with Page(made_page(trace)) as page:
    a9 = page.table("A9")
    figure = '[data-figure="A9.roofline"]'
    page.wait(lambda: page.js("return document.querySelector(arguments[0]).dataset.shown", figure), "A9 gets its roofline")
    page.js("document.querySelector(arguments[0] + ' canvas').focus()", figure)
    page.press(Keys.ARROW_RIGHT)
    card = page.text(f"{figure} .xsp-card")
    row = table["rows"][heaviest[0]]
    check(row[column["kernel_name"]][:20] in card, f"the first point is the heaviest: {card}")
    check(row[column["bound"]] in card, "the card says what it is bound by")
    check(f"{row[column['pct_of_roof']]:.2f}"[:3] in card, f"and how much of its roof it reaches: {card}")
    said = page.js("return document.querySelector(arguments[0] + ' .xsp-live').textContent", figure)
    check(f"1 of {len(drawn)}" in said, f"what is read aloud says where it is: {said}")
    page.press(Keys.ENTER)
    page.settle()
    check(heaviest[0] in a9.selected(), f"Enter selects its row: {a9.selected()}")
    marked = page.one(figure).get_attribute("data-marked").split()
    check(str(heaviest[0]) in marked, f"and the point is marked: {marked}")
    page.press(Keys.ESCAPE, Keys.ESCAPE)
    check_equal(a9.selected(), [], "Escape leaves the point, and again takes the selection back")
