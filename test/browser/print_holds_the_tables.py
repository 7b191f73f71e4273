"""On paper stands what is there without scripts, on white, whatever the theme: the static tables and drawings, whole."""
from xsp_browser import *

trace = made_trace(layers=120, evaluations=3)
with Page(made_page(trace), dark=True) as page:
    for section in ("A2", "A6", "A8"):
        page.table(section)
    pdf = page.print()
    check(pdf.startswith(b"%PDF"), "printing gives a PDF")
    pages = pdf.count(b"/Type /Page") - pdf.count(b"/Type /Pages")
    check(4 <= pages <= 120, f"tables stand on several pages ({pages})")
    reader = shutil.which("pdftotext")
    if reader:
        path = FOLDER / "page.pdf"
        path.write_bytes(pdf)
        text = subprocess.run([reader, "-layout", path, "-"], capture_output=True, check=True).stdout.decode()
        for word in ("A2 Layer information", "A15", "BatchNorm2d_29", "Linear_29"):
            check(word in text, f"{word} is on paper")
    page.cdp("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    check_equal(page.one("body").value_of_css_property("background-color"), "rgba(255, 255, 255, 1)", "paper is white")
    for section in ("A2", "A6", "A8", "A12"):
        check(page.one(f"#{section} table[data-table]").is_displayed(), f"the static table of {section} is printed")
        check(not any(view.is_displayed() for view in page.all(f"#{section} .table-view")), "what needs a mouse is not")
    for part in ("svg", ".shows"):
        check(page.one(f"#A6 figure > {part}").is_displayed(), f"a figure's {part} is printed")
    box = page.js("const b = document.querySelector('#A2 > .rows'); return [b.scrollHeight, b.clientHeight]")
    check(box[0] <= box[1] + 1, f"no row is scrolled away on paper: {box}")
    page.device(1047, 700)  # A4, the long side across
    for section in ("A8", "A9", "A11"):
        width, name = page.js("""
          const table = document.querySelector(`#${arguments[0]} table[data-table]`);
          return [table.getBoundingClientRect().width, table.tBodies[0].rows[0].cells[0].getBoundingClientRect().width];""", section)
        check(width <= 1047 * 1.05, f"{section} fits the paper: {width}")
        check(name > 70 or section == "A11", f"its names do not stand letter by letter below one another: {name}")
    check(not page.one("#contents").is_displayed(), "the contents are not")
    folder = os.environ.get("XSP_SCREENSHOTS")
    if folder:
        (Path(folder) / "print.pdf").write_bytes(pdf)
