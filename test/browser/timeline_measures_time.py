"""A drag with shift measures the time between two places, x that between two slices; a drag without it moves."""
from timeline_on_page import *

with Page(made_page(made_trace(layers=20))) as page:
    timeline = TimelineOnPage(page)
    width = timeline.box()["width"]
    begin, end = timeline.range()

    def drag(x0, x1, shift=False):
        timeline.mouse("mouseMoved", x0, 60)
        timeline.mouse("mousePressed", x0, 60, shift)
        for step in range(1, 5):
            timeline.mouse("mouseMoved", x0 + (x1 - x0) * step / 4, 60, shift)
        timeline.mouse("mouseReleased", x1, 60, shift)
        page.settle()

    drag(width * 0.25, width * 0.75, shift=True)
    expected = (end - begin) / 2
    check(abs(timeline.number("measured") - expected) < 0.02 * expected, f"half is measured: {timeline.state('measured')}")
    check("measured" in timeline.said(), "and read out")
    check_equal(timeline.range(), (begin, end), "nothing moves meanwhile")
    timeline.press("w", "w")
    begin, end = timeline.range()
    drag(width * 0.5, width * 0.25)
    moved = timeline.range()[0] - begin
    check(abs(moved - (end - begin) / 4) < 0.02 * (end - begin), f"a drag moves by as much: {moved}")

    # Layer 0 begins the first microsecond, takes 10 and is 1 before the next, which takes 11.
    timeline.press("0")
    timeline.search("Conv2d_0")
    timeline.press("x")
    timeline.search("BatchNorm2d_0")
    timeline.press("x")
    check_equal(timeline.number("measured"), 22000, "from the begin of a layer to the end of the next")
