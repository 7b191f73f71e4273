"""On a telephone nothing but the boxes of tables, the contents and pictures scrolls sideways."""
from xsp_browser import *

trace = made_trace(layers=60, evaluations=3)
for width, scripts in ((420, True), (360, True), (360, False)):
    with Page(made_page(trace), width=width, scripts=scripts) as page:
        if not scripts:
            for section in page.all("main > section"):
                size = section.rect
                check(size["x"] + size["width"] <= width, f"{section.get_attribute('id')} fits {width} px")
            continue
        for section in page.js("return [...document.querySelectorAll('main > section')].map((s) => s.id)"):
            page.go_to(section)
            overflow, what = page.overflow()
            check(overflow <= 0, f"at {width} px {section} is {overflow} px too wide: {what}")
        page.go_to("A2")
        page.picture(f"narrow-{width}")
