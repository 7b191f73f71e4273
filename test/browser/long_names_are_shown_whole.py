"""A long name is cut in the middle; all of it is in the cell's title, below the table for the active row, and, when asked
for, in the table."""
from xsp_browser import *
from made_profile import KERNELS

name = KERNELS["Conv2d"]
with Page(made_page(made_trace(layers=40))) as page:
    table = page.table("A10")
    cell = next(cell for cell in page.all("#A10 .table-view td") if cell.text.startswith("void implicit"))
    check(len(cell.text) <= 60 and cell.text.endswith("int, int)") and "…" in cell.text, f"both ends are there: {cell.text}")
    check_equal(cell.get_attribute("title"), name, "the title has all of it")
    cell.click()
    check(name in table.one(".details").text, "the active row's is below the table")
    full = next(b for b in page.all("#A10 .toolbar button") if b.text == "Full names")
    full.click()
    check_equal(full.get_attribute("aria-pressed"), "true", "names are asked for whole")
    check(name in table.column("kernel_name"), "the table has it whole")
    page.picture("full-names")
    full.click()
    check(name not in table.column("kernel_name"), "and cut again")
