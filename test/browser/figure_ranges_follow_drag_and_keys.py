#!/usr/bin/env python3
"""A drag over columns shows that range of them, a double click all again; buttons and keys do the same."""
from figure_on_page import *

with Page(made_page(made_trace(layers=100))) as page:
    figure = FigureOnPage(page, "A3.latency")
    figure.press(Keys.END)
    check("100 of 100" in figure.live(), f"all layers are there: {figure.live()}")
    box = figure.box()
    left, y = 60, box["height"] / 2
    wide = box["width"] - left - 10
    figure.drag(left + 0.25 * wide, left + 0.5 * wide, y)
    first, last = (int(word) for word in figure.live().split() if word.isdigit())
    check(20 <= first <= 30 and 45 <= last <= 55, f"the range that was dragged over: {figure.live()}")
    figure.press(Keys.HOME)
    check(f"layer {first}," in figure.live(), f"the walk begins there: {figure.live()}")
    figure.click(left + 0.5 * wide, y, 1)
    figure.click(left + 0.5 * wide, y, 2)
    check(not figure.button("Zoom out").is_enabled(), "a double click shows all")
    figure.push("Zoom in")
    check(figure.button("All").is_enabled(), "the button shows half as much")
    figure.push("All")
    figure.press(Keys.END)
    check("100 of 100" in figure.live(), f"and all again: {figure.live()}")
    figure.press("+")
    check(figure.button("Zoom out").is_enabled(), "the plus key shows half as much")
    figure.press("0")
    check(not figure.button("Zoom out").is_enabled(), "the zero key shows all")
