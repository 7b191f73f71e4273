"""A finding's link leads to its table, with the row that shows it selected."""
from xsp_browser import *

trace = made_trace(layers=200, evaluations=3)
with Page(made_page(trace)) as page:
    links = [(a.get_attribute("data-table"), a.get_attribute("data-column"), a.get_attribute("data-key"), a)
             for a in page.all("#overview a[data-table]")]  # fmt: skip
    if not links:
        skip("this trace has no findings")
    for name, column, key, link in links:
        page.js("arguments[0].click()", link)
        page.wait(lambda: abs(page.js("return document.getElementById(arguments[0]).getBoundingClientRect().top", name)) < 60,
                  f"the finding leads to {name}")  # fmt: skip
        if not column:
            continue
        def reads():
            return page.js("""
              const row = document.activeElement.closest(`[id="${arguments[0]}"] tr[data-row]`);
              if (row === null) return null;
              const heads = [...row.closest("table").querySelectorAll("thead th")].map((th) => th.dataset.column);
              const cell = row.cells[heads.indexOf(arguments[1])];
              return cell.title || cell.textContent;""", name, column)  # fmt: skip
        page.wait(lambda: reads() == key, f"the row of {name} whose {column} is {key} has the focus, not {reads()}")
    page.picture("finding")
