"""The timeline of a page, for tests: what it shows is said in the data attributes of its section."""
from xsp_browser import *


class TimelineOnPage:
    def __init__(self, page):
        self.page = page
        page.go_to("timeline")
        page.wait(lambda: self.state("frames") not in (None, "0"), "the timeline is drawn")
        self.canvas = page.one("#timeline .xsp-timeline-canvas")

    def state(self, name):
        return self.page.js("return document.getElementById('timeline').dataset[arguments[0]] ?? null", name)

    def number(self, name):
        return float(self.state(name))

    def range(self):
        return (self.number("begin"), self.number("end"))

    def press(self, *keys):
        self.canvas.send_keys(*keys)
        self.page.settle()

    def wheel(self, pixels):
        """Over the canvas, which may have the focus or not."""
        box = self.box()
        self.page.cdp("Input.dispatchMouseEvent", type="mouseWheel", x=box["x"] + box["width"] / 2, y=box["y"] + 60,
                      deltaX=0, deltaY=pixels)  # fmt: skip
        self.page.settle()
        self.page.settle()

    def box(self):
        return self.page.js("return arguments[0].getBoundingClientRect().toJSON()", self.canvas)

    def mouse(self, kind, x, y, shift=False):
        box = self.box()
        self.page.cdp("Input.dispatchMouseEvent", type=kind, x=box["x"] + x, y=box["y"] + y,
                      button="none" if kind == "mouseMoved" else "left", buttons=1, clickCount=1,
                      modifiers=8 if shift else 0)  # fmt: skip

    def colours(self, selector=".xsp-timeline-canvas"):
        """How many colours a canvas has."""
        return self.page.js("""
          const canvas = document.querySelector("#timeline " + arguments[0]);
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          return new Set(new Uint32Array(pixels.buffer)).size;""", selector)  # fmt: skip

    def search(self, text):
        field = self.page.one("#timeline input[type=search]")
        field.clear()
        field.send_keys(text, Keys.ENTER)
        self.page.settle()

    def facts(self):
        """What the panel says of the selected slice."""
        return self.page.js("""
          const terms = [...document.querySelectorAll("#timeline dl dt")];
          return Object.fromEntries(terms.map((term) => [term.textContent, term.nextSibling.textContent]));""")

    def said(self):
        return self.page.js("return document.querySelector('#timeline [aria-live]').textContent")


__all__ = [name for name in dir() if not name.startswith("_")]
