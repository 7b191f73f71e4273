"""Rows are reached and selected without a mouse, also those that are no elements yet; Escape selects nothing; ? lists the
keys."""
from xsp_browser import *

with Page(made_page(made_trace(layers=3000))) as page:
    table = page.table("A2")
    check(len(table.rows()) < 150, f"only rows near the view are elements, not {len(table.rows())}")
    check_equal(page.one("#A2 .table-view table").get_attribute("aria-rowcount"), "3001", "all rows are announced")
    page.js("document.querySelector('#A2 .table-view tr[tabindex=\"0\"]').focus()")

    def active():
        return int(page.js("return document.activeElement.dataset.row ?? -1"))

    def is_seen():
        return page.js("""
          const row = document.activeElement.getBoundingClientRect();
          const box = document.activeElement.closest(".rows").getBoundingClientRect();
          const head = document.activeElement.closest("table").querySelector("th").getBoundingClientRect();
          return row.top >= head.bottom - 1 && row.bottom <= box.bottom + 1;""")

    check_equal(active(), 0, "Tab reaches the first row")
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
    check_equal((active(), is_seen()), (2, True), "arrows move by a row")
    page.press(Keys.PAGE_DOWN)
    check(active() > 10 and is_seen(), "Page Down moves by what is seen")
    page.press(Keys.PAGE_UP)
    check_equal((active(), is_seen()), (2, True), "Page Up moves back")
    page.press(Keys.END)
    check_equal((active(), is_seen()), (2999, True), "End goes to the last row")
    page.press(Keys.ENTER)
    check_equal(table.selected(), [2999], "Enter selects the row")
    check_equal(page.one("#A2 tr.selected").get_attribute("aria-rowindex"), "3001", "a row says where it is")
    check_equal(page.one("#A2 tr.selected").get_attribute("aria-current"), "true", "it is announced as selected")
    page.press(Keys.ENTER)
    check_equal(table.selected(), [], "Enter again takes it back")
    page.press(Keys.ENTER, Keys.HOME)
    check_equal((active(), is_seen()), (0, True), "Home goes to the first row")
    # What is scrolled away keeps the place that keys move from.
    page.js("document.querySelector('#A2 .table-view .rows').scrollTop = 20000")
    page.settle()
    page.press(Keys.ARROW_DOWN)
    check_equal((active(), is_seen()), (1, True), "keys go on from a row that was scrolled away")
    page.press(Keys.ESCAPE)
    page.press(Keys.END)
    check_equal(table.selected(), [], "Escape selects nothing")

    page.press("?")
    check(page.one("dialog#keys").get_attribute("open") is not None, "? lists the keys")
    page.picture("keys")
    page.press(Keys.ESCAPE)
    check(page.one("dialog#keys").get_attribute("open") is None, "Escape closes the list")
