"""D2's state graph is one picture with and without scripts, on a telephone as wide as the page, and says what it shows."""
from xsp_browser import *

trace = made_trace(layers=7, evaluations=20)
page_file = made_page(trace)
for width, scripts, dark in ((1280, True, False), (420, True, True), (420, False, False)):
    with Page(page_file, width=width, scripts=scripts, dark=dark) as page:
        if scripts:
            page.go_to("D2")
        graph = page.one('figure[data-figure="D2.states"] > svg')
        check(graph.is_displayed(), "the graph is shown")
        size = graph.rect
        check(300 < size["width"] <= width and size["height"] < 600, f"at {width} pixels it is {size}")
        texts = [text.text for text in graph.find_elements(By.CSS_SELECTOR, "text")]
        check({"CPU", "GPU", "next iteration"} <= set(texts), f"its states are named: {texts}")
        check("GPU" in graph.find_element(By.CSS_SELECTOR, "desc").get_attribute("textContent"), "it says what it shows")
        if scripts:
            page.picture(f"states-{width}")
