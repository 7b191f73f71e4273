"""A row of D1 is a stretch of the timeline: from the begin of its first kernel to the end of its last."""
from timeline_on_page import *

trace = made_trace(layers=7, evaluations=40)
row = tables_of(trace)["D1"]["rows"][5]
with Page(made_page(trace)) as page:
    page.table("D1").click_row(5)
    timeline = TimelineOnPage(page)
    begin, end = (float(ns) for ns in timeline.state("chosen").split())
    check(abs((end - begin) - (row[2] - row[1]) * 1e6) < 1, f"the stretch is as long as the iteration: {begin} {end} {row}")
    check("iteration 5 of loop 0" in page.text("#timeline .xsp-timeline-chosen"), "which is said")
    timeline.press("f")
    low, high = timeline.range()
    check(low <= begin and end <= high and high - low < 2 * (end - begin), "f shows it")
    page.picture("timeline-selected-iteration")
    page.table("D1").click_row(5)
    page.go_to("timeline")
    check_equal(timeline.state("chosen"), "", "the same row again takes it back")
