"""A tiny point far below the others leaves the axes of a roofline where the time is; it is counted, and All shows it."""
import made_profile
from figure_on_page import *

TINY = 396  # the correlation of a kernel with less than 0.1 % of the time
usual = made_profile.layer_events


def events(kind, name, begin, microseconds, correlation, *rest):
    made = usual(kind, name, begin, microseconds, correlation, *rest)
    if correlation == TINY:
        made[1]["name"], made[1]["args"]["Input Dims"] = "aten::mm", [[1, 1], [1, 1]]
        made[1]["args"]["Input type"] = ["float", "float"]
        made[3]["dur"] = 0.1
    return made


made_profile.layer_events = events
with Page(made_page(made_trace(layers=400))) as page:
    static = page.js("return document.querySelector('[data-figure=\"A9.roofline\"] svg').textContent")
    check("1 lie beyond the axes" in static, f"the static drawing counts it: {static[-600:]}")
    figure = FigureOnPage(page, "A9.roofline")

    def outside():
        return figure.element.get_attribute("data-outside")

    check_equal(outside(), "1", "one point lies beyond the axes")
    check("Outside the axes: 1 point with" in figure.note(), f"which is said: {figure.note()}")
    figure.push("All")
    check_equal((outside(), figure.note()), ("0", ""), "All shows every point")
    figure.push("Reset")
    check_equal(outside(), "1", "Reset shows what matters")
    figure.press(Keys.END)
    check_equal(outside(), "0", "a walk by keys to the point shows it")
    check("100 of 100" in figure.live(), f"and tells of it: {figure.live()}")
