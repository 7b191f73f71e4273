"""Two recordings are two parts, each with a time of its own, chosen by name; hostile names stay text."""
from timeline_on_page import *

evil = "</script><img src=x onerror=alert(1)>"
one = made_trace(layers=6, names=[evil])
two = made_trace(layers=30)
page_path = one.with_suffix(".html")
run(XSP_REPORT, "-q", "--html", "-o", page_path, one, two)
with Page(page_path, width=420, height=900) as page:
    timeline = TimelineOnPage(page)
    parts = page.js("return [...document.querySelectorAll('#timeline select option')].map((o) => o.textContent)")
    check_equal(parts, [one.name, two.name], "the recordings are named")
    before = timeline.range()
    choice = page.one("#timeline select")
    shown = int(timeline.state("part"))
    page.js("arguments[0].value = String(arguments[1]); arguments[0].dispatchEvent(new Event('change'))", choice, 1 - shown)
    page.settle()
    check_equal(int(timeline.state("part")), 1 - shown, "the other one is chosen")
    check(timeline.range() != before, "and has a length of its own")
    timeline.search("onerror")
    check_equal(timeline.state("part"), "0", "a slice that was found is shown in its part")
    check_equal(page.text("#timeline .xsp-timeline-name"), evil, "its name is text")
    check_equal(page.overflow()[0], 0, f"a narrow window is wide enough: {page.overflow()}")
    page.picture("timeline-narrow")
