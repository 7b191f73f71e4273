#!/usr/bin/env python3
"""A click on a column, or Enter on the one in focus, selects its row; a selected row dims the columns of others."""
from figure_on_page import *

trace = made_trace(layers=40)
table = tables_of(trace)["A3"]
with Page(made_page(trace)) as page:
    figure = FigureOnPage(page, "A3.latency")
    figure.press(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    name = table["rows"][2][1]
    check(figure.live().startswith(name), f"the third layer is in focus: {figure.live()}")
    check(figure.card()[0] == name, f"its card has its name: {figure.card()}")
    check("3 of 40" in figure.live(), f"it says which of how many: {figure.live()}")
    before = figure.colored()
    figure.press(Keys.ENTER)
    check_equal(page.table("A3").selected(), [2], "Enter selects the row of the layer")
    check_equal(page.table("A2").selected(), [2], "and that of other tables of layers")

    figure = FigureOnPage(page, "A3.latency")
    pale = sum(pixels for key, pixels in figure.pixels().items() if 0 < int(key.split(",")[3]) < 128)
    check(pale > 200, f"columns that are not selected are dimmed ({pale} pixels)")
    figure.press(Keys.ENTER, Keys.ESCAPE)

    box = figure.box()
    figure.click(60 + (box["width"] - 60) * 0.5, box["height"] / 2)
    selected = page.table("A3").selected()
    check(len(selected) == 1 and 15 <= selected[0] <= 25, f"a click in the middle selects a layer in the middle: {selected}")

    page.table("A6").click_row(0)
    figure = FigureOnPage(page, "A6.latency")
    pale = sum(pixels for key, pixels in figure.pixels().items() if 0 < int(key.split(",")[3]) < 128)
    check(pale > 200, "a selected row dims the bars of others")
