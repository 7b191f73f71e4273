#!/usr/bin/env python3
"""The PNG button saves the figure as it is, larger than the canvas by its title and legend, on paper."""
import struct

from figure_on_page import *

with Page(made_page(made_trace(layers=30))) as page:
    figure = FigureOnPage(page, "A13.gpu")
    figure.push("PNG")
    path = page.downloads / "A13.gpu.png"
    page.wait(lambda: path.exists() and path.stat().st_size > 0, "the picture is saved")
    data = path.read_bytes()
    check(data.startswith(b"\x89PNG\r\n\x1a\n"), "it is a PNG")
    width, height = struct.unpack(">II", data[16:24])
    box = figure.box()
    check(width > box["width"] and height > box["height"], f"it has more than the canvas: {width} × {height}, {box}")
