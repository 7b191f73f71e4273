"""What cannot be unpacked or drawn says so where it would be; everything else works."""
import re

from xsp_browser import *

path = made_page(made_trace(layers=30))
text = path.read_text()


def damaged(name, data):
    made, count = re.subn(rf'(<script type="application/octet-stream" id="xsp-{name}">)[^<]*', rf"\g<1>{data}", text)
    check_equal(count, 1, f"the page holds {name}")
    other = path.with_name(f"damaged-{name}.html")
    other.write_text(made)
    return other


def check_failed(page, section, what):
    page.go_to(section)
    page.wait(lambda: page.all(f"#{section} .failed"), f"{section} says that it cannot be worked with")
    check(what in page.text(f"#{section} .failed"), f"and why: {page.text(f'#{section} .failed')}")


for data in ("AAAA", "H4sIAAAAAAAAA6tWKkktLlGyUlAqS8wpTVWqBQAEeJ2kFwAAAA=="):  # no gzip; JSON of something else
    for name in ("timeline", "icicle"):
        with Page(damaged(name, data)) as page:
            check_failed(page, name, name)
            page.table("A2").sort("index")
            page.console()  # an error of ours is there for us to see
with Page(damaged("figures", "AAAA")) as page:
    check_failed(page, "A2", "figures")
    check(page.one("#A2 figure svg").is_displayed(), "the static drawing is still there")
    page.table("A2").sort("index")
    page.console()
with Page(damaged("tables", "AAAA")) as page:
    page.go_to("A2")
    page.wait(lambda: page.all("#A2 .failed"), "a part that cannot be worked with says so")
    check("tables" in page.text("#A2 .failed"), f"and why: {page.text('#A2 .failed')}")
    check(page.one("#A2 table").is_displayed(), "its static table is still there")
    check(not page.all("#A2 .table-view"), "nothing else is shown in its place")
    page.press("?")
    check(page.one("dialog#keys").is_displayed(), "the rest of the page works")
