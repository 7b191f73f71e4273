"""CSV holds all rows that the filter keeps, in the order shown, as RFC 4180 has it, with the digits the page has; Copy
gives the selected rows, or all that are shown, as TSV."""
import csv
import io

from xsp_browser import *

strange = ['Quote"d, and comma', "line\nbreak", "tab\there", "=1+2"]
trace = made_trace(layers=260, names=strange, evaluations=3)
tables = tables_of(trace)
with Page(made_page(trace)) as page:
    table = page.table("A2")
    table.sort("latency_ms")
    table.filter("index<250")
    page.js("[...arguments[0].querySelectorAll('button')].find((b) => b.textContent === 'CSV').click()", table.one(".toolbar"))
    page.wait(lambda: list(page.downloads.glob("*.csv")), "a file is saved")
    file = list(page.downloads.glob("*.csv"))[0]
    check(file.name.endswith("-A2.csv"), f"the file {file.name} is named after its table")
    data = file.read_bytes().decode()
    check(data.count("\r\n") == 251, "each record ends in CR LF")
    records = list(csv.reader(io.StringIO(data, newline="")))
    check_equal(records[0], [column["name"] for column in tables["A2"]["columns"]], "the first record has the names")
    expected = sorted((row for row in tables["A2"]["rows"] if row[0] < 250), key=lambda row: (-row[4], row[0]))
    check_equal([int(record[0]) for record in records[1:]], [row[0] for row in expected], "all rows, in the order shown")
    check_equal([record[1] for record in records[1:]], [row[1] for row in expected], "names are whole")
    for record, row in zip(records[1:], expected):
        check(abs(float(record[4]) - row[4]) <= 1e-8 * row[4], f"{record[4]} has the digits of {row[4]}")

    # The clipboard of a headless browser is its own.
    origin = page.js("return location.origin")
    page.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    table.filter("index<8")
    table.sort("latency_ms")
    table.sort("latency_ms")
    copy = "[...arguments[0].querySelectorAll('button')].find((b) => b.textContent === 'Copy').click()"
    page.js(copy, table.one(".toolbar"))
    page.wait(lambda: table.count() == "8 rows copied", f"it says what was copied ({table.count()}, {origin})")
    page.js("navigator.clipboard.readText().then((text) => (window.copied = text))")
    page.wait(lambda: page.js("return window.copied !== undefined"), "the clipboard can be read")
    lines = page.js("return window.copied").splitlines()
    check_equal(len(lines), 9, "a head and the rows shown")
    check_equal([line.split("\t")[1] for line in lines[1:4]], ['Quote"d, and comma', "line break", "tab here"],
                "tabs and line breaks stay in their cell")  # fmt: skip

    table.click_row(5)
    page.js(copy, table.one(".toolbar"))
    page.wait(lambda: table.count() == "1 row copied", "of a selection only its rows are copied")
