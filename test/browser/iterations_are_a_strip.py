"""D1 has a strip with a bar an iteration: outliers are marked, keys go from bar to bar, dragging shows a part, and a bar
selects its row.
"""
from figure_on_page import *

trace = made_trace(layers=7, evaluations=40, slow=(17,))
rows = tables_of(trace)["D1"]["rows"]
check_equal(len(rows), 40, "a step is an iteration")
for width, dark in ((1280, False), (420, True)):
    with Page(made_page(trace), width=width, dark=dark) as page:
        strip = FigureOnPage(page, "D1.strip")
        shown = lambda name: int(strip.element.get_attribute(f"data-{name}"))
        check_equal((shown("bars"), shown("marked")), (40, 1), "a bar an iteration, the slow one marked")
        check(strip.colored() > 500, f"bars are drawn at {width} pixels")
        strip.press(Keys.HOME)
        check("iteration 0" in strip.card()[0], f"the first bar: {strip.card()}")
        strip.press(*[Keys.ARROW_RIGHT] * 17)
        said = " ".join(strip.card())
        check("iteration 17" in said and "outlier" in said, f"the slow one says so: {said}")
        strip.press(Keys.ENTER)
        page.picture(f"strip-{width}")
        check_equal(page.table("D1").selected(), [17], "a bar selects its row")
        strip = FigureOnPage(page, "D1.strip")
        strip.push("Zoom in")
        check(shown("bars") < 40, "a part of it is shown")
        strip.push("All")
        check_equal(shown("bars"), 40, "and all again")
