"""The timeline is drawn, and keys zoom and move it inside of its range; the wheel belongs to the page until the timeline
has the focus."""
from timeline_on_page import *

with Page(made_page(made_trace(layers=40, evaluations=3))) as page:
    timeline = TimelineOnPage(page)
    check(timeline.colours() > 8, "the lanes are drawn in several colours")
    check(timeline.colours(".xsp-timeline-overview") > 2, "the overview is drawn")
    whole = timeline.range()
    check_equal(whole[0], 0, "everything is in sight at first")

    timeline.wheel(-300)
    check_equal(timeline.range(), whole, "the wheel without focus zooms nothing")
    scrolled = page.js("return window.scrollY")
    timeline.wheel(300)
    check(page.js("return window.scrollY") > scrolled, "the wheel without focus scrolls the page")
    page.go_to("timeline")

    timeline.press("w", "w")
    closer = timeline.range()
    check(closer[1] - closer[0] < 0.6 * (whole[1] - whole[0]), f"w zooms in: {closer}")
    timeline.press("d")
    right = timeline.range()
    check(right[0] > closer[0] and abs((right[1] - right[0]) - (closer[1] - closer[0])) < 1, f"d moves: {right}")
    timeline.press("a")
    check(abs(timeline.range()[0] - closer[0]) < 1, "a moves back")
    timeline.press("s", "s", "s")
    check_equal(timeline.range(), whole, "s zooms out, to no more than everything")
    before = page.js("return window.scrollY")
    timeline.wheel(-300)
    check(timeline.range()[1] - timeline.range()[0] < whole[1] - whole[0], "the wheel with the focus zooms")
    check_equal(page.js("return window.scrollY"), before, "and leaves the page where it is")
    timeline.press("0")
    check_equal(timeline.range(), whole, "0 shows everything")
    for _ in range(60):
        timeline.press("w")
    check(timeline.range()[1] - timeline.range()[0] >= 20, "zooming ends at what can be drawn")
    timeline.press("0", "m")
    first = timeline.range()
    check_equal(timeline.state("selected"), "Net", "m selects an evaluation")
    timeline.press("m")
    check(timeline.range()[0] > first[0], "m again goes to the next evaluation")
    page.picture("timeline-evaluation")
