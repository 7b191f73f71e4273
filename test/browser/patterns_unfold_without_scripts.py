"""D1's pattern is a list in which what repeats can be opened and closed, with and without scripts."""
from xsp_browser import *

# Three times four layers and one more: the four are folded.
trace = made_trace(layers=13, evaluations=20)
page_file = made_page(trace)
for scripts in (True, False):
    with Page(page_file, scripts=scripts) as page:
        if scripts:
            page.go_to("D1")
        block = page.one("#D1\\.folded ul.pattern details")
        check("3 × 4 operations" in block.text, f"repeats are folded: {block.text}")
        check(block.find_element(By.CSS_SELECTOR, "li").is_displayed(), "the block is open")
        open_height = block.rect["height"]
        block.find_element(By.CSS_SELECTOR, "summary").click()
        check(block.get_attribute("open") is None and block.rect["height"] < open_height / 2, "and can be closed")
        if scripts:
            page.picture("pattern")
