"""xsp-report --html writes one well-formed file that names nothing outside of it, whose policy allows what it runs and no
more, and that has the tables of the same report as JSON.
"""
from support.html_page import Page
from support.xsp_e2e import BUILD, XSP_REPORT, check, check_equal, report, run, skip, work_folder, xsp_run

program = BUILD / "test/e2e/api_spans"
if not program.exists():
    skip("the C program on xsp.h is not built")
work_folder()
done = xsp_run(program).check_success()
written = run(XSP_REPORT, "--html", "-o", "page.html", done.path)
check_equal(written.returncode, 0, f"exit status; stderr: {written.stderr.decode()}")
text = open("page.html", encoding="utf-8", newline="").read()
page = Page(text)
check_equal(page.problems, [], "what no page may have")

outside = [(tag, name, value) for tag, attributes, _ in page.elements for name, value in attributes.items()
           if name in ("src", "href", "xlink:href", "data", "action", "poster", "srcset")
           and not (value or "").startswith(("#", "data:"))]
check_equal(outside, [], "references to what is not in the page")

check_equal(page.policy_problems(), [], "what the policy allows")
scripts = [code for attributes, code in page.of("script") if "type" not in attributes]
check_equal(len(scripts), 2, "scripts")

check_equal([a["lang"] for a, _ in page.of("html")], ["en"], "language")
targets = [a["href"][1:] for a, _ in page.of("a") if a.get("href", "").startswith("#")]
check_equal([target for target in targets if target not in page.ids], [], "links to nowhere")

tables = report(done.path)
packed = page.packed("xsp-tables")
for name in ("A1", "A2", "A6", "Q1"):
    check(name in page.ids, f"section {name}")
    columns = packed[name]["columns"]
    values = [[c["texts"][v] if "texts" in c and v is not None else v for v in c["values"]] for c in columns]
    rows = [[float(f"{v:.9g}") if isinstance(v, float) else v for v in row] for row in tables[name]["rows"]]
    check_equal([list(row) for row in zip(*values)], rows, f"{name} in the page")
for name in ("xsp-figures", "xsp-timeline", "xsp-icicle"):
    page.packed(name)
