"""Names are anybody's: markup, scripts, what turns the direction of text and names of 100 kB are shown as text, without
scripts and with them, and change nothing of the page."""
from xsp_browser import *

names = [
    "<img src=x onerror=\"document.title='owned'\">",
    "</script><script>document.title='owned'</script>",
    "</td></tr></table><h1 id=owned>owned</h1>",
    "\u202egnp.exe \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
    "a\u0001b\u001b[31mred\nnew line",
    "${alert(1)} {{7*7}} &lt;b&gt; &amp;",
    "javascript:alert(1)",
    "__proto__",
    "constructor",
    "x" * 100_000,
]
trace = made_trace(layers=20, names=names, kernels=names)
path = made_page(trace)
tables = tables_of(trace)
check(path.stat().st_size < 6_000_000, f"names of 100 kB are not repeated ({path.stat().st_size} bytes)")
with Page(path) as page:
    for section in ("A2", "A3", "A8", "A9", "A10"):
        page.table(section)
    a2 = page.table("A2")
    shown = a2.column("name")
    recorded = [row[1] for row in tables["A2"]["rows"]]
    check_equal(recorded[:3], names[:3], "the trace has the names as they are")
    for at in (0, 1, 2, 5, 6, 7, 8):
        check_equal(shown[at], names[at], "a name is the text of its cell")
    check("\u202e" not in shown[3] and "\\xe2\\x80\\xae" in shown[3], f"what turns text is an escape: {shown[3]!r}")
    check("\\x01b\\x1b[31mred\\nnew line" in shown[4], f"control characters are escapes: {shown[4]!r}")
    check(len(shown[9]) <= 60 and "…" in shown[9], "a name of 100 kB is cut in the middle")
    for at in range(10):
        a2.click_row(at)
        page.press(Keys.ESCAPE)
    page.picture("hostile")
    check(page.js("return document.title") != "owned" and not page.all("#owned"), "nothing of a name is run or drawn")
    check_equal(page.all("main img"), [], "nothing of a name is an element")
    overflow, what = page.overflow()
    check(overflow <= 0, f"nothing is wider than the page: {overflow} px: {what}")
with Page(path, scripts=False) as page:
    check_equal(page.driver.title != "owned" and len(page.all("#owned, main img")), 0, "nor without scripts")
    check(names[0] in page.text("#A2 table"), "names are text without scripts")
