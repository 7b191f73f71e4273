#!/usr/bin/env python3
"""Every figure is drawn on a canvas that is not blank and no wider than the page, in place of its static drawing, which
is what is printed; the canvas says what it shows.
"""
from figure_on_page import *

trace = made_trace(layers=60)
page_file = made_page(trace)
for width, dark in ((1280, False), (420, True)):
    with Page(page_file, width=width, dark=dark) as page:
        names = page.js("return [...document.querySelectorAll('figure[data-figure]')].map((f) => f.dataset.figure)")
        for expected in ("A1.latency", "A2.longest", "A3.latency", "A6.latency", "A8.latency", "A10.latency", "A13.gpu"):
            check(expected in names, f"the page has no figure {expected}: {names}")
        for name in names:
            if name.endswith((".roofline", ".states")):
                continue  # have tests of their own
            figure = FigureOnPage(page, name)
            check(figure.colored() > 50, f"{name} is blank at {width} pixels")
            box = figure.box()
            check(box["width"] <= width and box["height"] <= 900, f"{name} is larger than the window: {box}")
            check(len(figure.canvas.get_attribute("aria-label")) > 20, f"{name} does not say what it shows")
            check(not figure.one("svg").is_displayed(), f"{name} is there twice")
        page.cdp("Emulation.setEmulatedMedia", media="print")
        check(figure.one("svg").is_displayed() and not figure.canvas.is_displayed(), "what is printed is the static drawing")
        page.cdp("Emulation.setEmulatedMedia", media="")
