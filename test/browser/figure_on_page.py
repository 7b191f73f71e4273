"""A figure of a page, for tests: what is under the pointer or in focus is said in its card and in its live text."""
from xsp_browser import *


class FigureOnPage:
    def __init__(self, page, figure):
        self.page = page
        self.figure = figure
        page.go_to(figure.split(".")[0])
        selector = f'figure[data-figure="{figure}"]'
        page.wait(lambda: page.all(f"{selector} canvas"), f"{figure} is drawn on a canvas")
        self.element = page.one(selector)
        self.canvas = page.one(f"{selector} canvas")
        page.js("arguments[0].scrollIntoView({block: 'center'})", self.element)
        page.settle()

    def one(self, selector):
        found = self.element.find_elements(By.CSS_SELECTOR, selector)
        check(len(found) > 0, f"{self.figure} has no {selector}")
        return found[0]

    def live(self):
        return self.page.js("return arguments[0].textContent", self.one("[aria-live]"))

    def note(self):
        return self.page.js("return arguments[0].textContent", self.one(".xsp-figure-note"))

    def card(self):
        """The lines of the card; nothing where it is hidden."""
        return self.page.js(
            "const card = arguments[0]; return card.hidden ? [] : [...card.children].map((line) => line.innerText);",
            self.one(".xsp-card"))  # fmt: skip

    def press(self, *keys):
        self.page.js("arguments[0].focus({preventScroll: true})", self.canvas)
        for key in keys:
            self.page.press(key)
        self.page.settle()

    def button(self, text):
        for button in self.element.find_elements(By.CSS_SELECTOR, "button"):
            if button.text == text:
                return button
        return check(False, f"{self.figure} has no button {text}")

    def push(self, text):
        self.page.js("arguments[0].click()", self.button(text))
        self.page.settle()

    def box(self):
        return self.page.js("return arguments[0].getBoundingClientRect().toJSON()", self.canvas)

    def mouse(self, kind, x, y, buttons=0, clicks=1):
        """x and y: pixels of the canvas."""
        box = self.box()
        self.page.cdp("Input.dispatchMouseEvent", type=kind, x=box["x"] + x, y=box["y"] + y,
                      button="none" if kind == "mouseMoved" and buttons == 0 else "left", buttons=buttons,
                      clickCount=clicks)  # fmt: skip

    def hover(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.page.settle()

    def click(self, x, y, clicks=1):
        self.mouse("mousePressed", x, y, 1, clicks)
        self.mouse("mouseReleased", x, y, 0, clicks)
        self.page.settle()

    def drag(self, begin, end, y):
        self.mouse("mousePressed", begin, y, 1)
        for x in (begin + (end - begin) / 2, end):
            self.mouse("mouseMoved", x, y, 1)
        self.mouse("mouseReleased", end, y)
        self.page.settle()

    def pixels(self):
        """How many pixels of the canvas have which of the page's colours of series, pale ones too."""
        return self.page.js("""
          const {width, height} = arguments[0];
          const copy = document.createElement("canvas");
          [copy.width, copy.height] = [width, height];
          const context = copy.getContext("2d", {willReadFrequently: true});
          context.drawImage(arguments[0], 0, 0);
          const data = context.getImageData(0, 0, width, height).data;
          const counts = {};
          for (let i = 0; i < data.length; i += 4) {
            const key = data.slice(i, i + 4).join(",");
            counts[key] = (counts[key] || 0) + 1;
          }
          return counts;""", self.canvas)  # fmt: skip

    def colored(self):
        """Pixels that are neither clear nor grey."""
        count = 0
        for key, pixels in self.pixels().items():
            red, green, blue, alpha = (int(part) for part in key.split(","))
            if alpha > 0 and max(red, green, blue) - min(red, green, blue) > 40:
                count += pixels
        return count
