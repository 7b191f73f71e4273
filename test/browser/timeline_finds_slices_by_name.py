"""A search marks all slices with a name, says how many there are and their time, and goes from one to the next."""
from timeline_on_page import *

trace = made_trace(layers=12, evaluations=2)
tables = tables_of(trace)
with Page(made_page(trace)) as page:
    timeline = TimelineOnPage(page)
    timeline.search("SGEMM_128")
    # Every fourth layer is a Linear one: kernels 3, 7, 11 of each evaluation, 7, 6 and 5 us long.
    check_equal(timeline.number("found"), 6, "all kernels of the name are found, whatever its case")
    check("1 of 6, together 36 µs" in page.text("#timeline output"), f"told with their time: {page.text('#timeline output')}")
    check("sgemm" in timeline.state("selected"), "Enter goes to the first")
    first = timeline.state("slice")
    timeline.press("n")
    check(timeline.state("slice") != first and "sgemm" in timeline.state("selected"), "n goes to the next")
    check("2 of 6" in page.text("#timeline output"), "and counts")
    timeline.press("N")
    check_equal(timeline.state("slice"), first, "N goes back")
    timeline.press("N")
    check("6 of 6" in page.text("#timeline output"), "and on from the first to the last")
    page.picture("timeline-search")
    timeline.search("no such kernel")
    check_equal(timeline.number("found"), 0, "nothing has another name")
    check("slice has this name" in page.text("#timeline output"), "and that is said")
    timeline.press(Keys.ESCAPE)
    check_equal((timeline.state("slice"), timeline.state("marked")), ("-1", "0"), "Escape clears everything")
