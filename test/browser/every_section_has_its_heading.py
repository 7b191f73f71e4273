"""All analyses, the overview and the pictures of the trace stand under a heading that names them, and the list of contents
leads to each."""
from xsp_browser import *

trace = made_trace(layers=24, evaluations=3)
tables = tables_of(trace)
with Page(made_page(trace)) as page:
    ids = [f"A{i}" for i in range(1, 16)]
    for name in ids:
        heading = page.text(f"#{name} > h2")
        check(heading.startswith(f"{name} "), f"the heading of {name} begins with its id, not {heading!r}")
        check(tables[name]["title"].lower() in heading.lower(), f"the heading {heading!r} says what {name} is")
    for name in ["overview", "timeline", "icicle"]:
        check_equal(page.text(f"#{name} > h2").lower(), name, f"the heading of {name}")
    for name in ["overview", *ids, "timeline", "icicle"]:
        link = page.one(f'#contents a[href="#{name}"]')
        page.js("arguments[0].click()", link)
        page.wait(lambda: abs(page.js("return arguments[0].getBoundingClientRect().top", page.one(f"#{name}"))) < 60
                  or page.js("return scrollY + innerHeight >= document.documentElement.scrollHeight - 2"),
                  f"the contents lead to {name}")  # fmt: skip
    page.picture("contents-end")
    page.js("document.querySelector('#contents a[href=\"#overview\"]').click()")
    page.wait(lambda: page.one('#contents a[href="#overview"]').get_attribute("aria-current") == "location",
              "the contents tell that the overview is being read")
    page.picture("overview")
