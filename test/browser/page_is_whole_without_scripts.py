"""Without scripts a page has every table's first rows, its pictures, and says what needs scripts."""
from xsp_browser import *

trace = made_trace(layers=400, evaluations=3)
tables = tables_of(trace)
with Page(made_page(trace), scripts=False) as page:
    check(not page.all(".table-view"), "no script has run")
    for name in ("A1", "A2", "A3", "A5", "A6", "A8", "A9", "A10", "A11", "A12", "A13", "A14", "A15"):
        rows = page.all(f"#{name} table tbody tr")
        check_equal(len(rows), min(200, len(tables[name]["rows"])), f"the rows of {name} that are there")
        check(page.one(f"#{name} table").is_displayed(), f"{name} is shown")
    row = page.one("#A2 tbody tr")
    expected = tables["A2"]["rows"][int(row.get_attribute("data-row"))]
    check_equal([cell.text for cell in row.find_elements(By.TAG_NAME, "td")][:3], [str(cell) for cell in expected[:3]],
                "a row has its values")  # fmt: skip
    check("200 of 400 rows" in page.text("#A2 caption"), "it says how many rows there are")
    check("scripts" in page.text("#timeline"), "it says that the timeline needs scripts")
    check_equal(page.text("#A2 h2"), "A2 Layer information", "headings are there")
    page.one('#contents a[href="#A6"]').click()
    check(page.driver.current_url.endswith("#A6"), "the contents lead to a section")
    page.picture("no-scripts")
with Page(made_page(trace), scripts=False, dark=True) as page:
    check_equal(page.one("body").value_of_css_property("background-color"), "rgba(21, 24, 29, 1)", "dark as the system")
