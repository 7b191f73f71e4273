#!/usr/bin/env python3
"""Of more layers than there are pixels, neighbours share a column, the largest of them, and the figure says so; a range
has single layers again.
"""
import time

from figure_on_page import *

LAYERS = 20_000
with Page(made_page(made_trace(layers=LAYERS))) as page:
    figure = FigureOnPage(page, "A3.latency")
    check("Each column shows the largest of " in figure.note(), f"the note says so: {figure.note()!r}")
    check(figure.colored() > 500, "columns are drawn")
    figure.press(Keys.HOME)
    check("layers 0 to" in figure.live() and "latency, largest" in figure.live(), f"so does a column: {figure.live()}")
    began = time.monotonic()
    for _ in range(8):
        figure.push("Zoom in")
    check(time.monotonic() - began < 8, "ranges are shown at once")
    figure.press(Keys.HOME)
    check(", layer " in figure.live(), f"a small range has layers: {figure.live()}")
    check_equal(figure.note(), "", "and nothing is merged")
