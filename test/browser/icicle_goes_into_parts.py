"""The icicle has the times of A6 and A11, goes into a part by click and key and up again, and its search tells the share
of what it finds. Names are text."""
from xsp_browser import *

HOSTILE = "<img src=x onerror=alert(1)>"
trace = made_trace(layers=40, names=[HOSTILE])
tables = tables_of(trace)

with Page(made_page(trace)) as page:
    page.go_to("icicle")
    page.wait(lambda: page.one("#icicle").get_attribute("data-parts"), "the icicle is drawn")

    def data(name):
        return page.one("#icicle").get_attribute(f"data-{name}")

    def label(part):
        return part.get_attribute("aria-label")

    def types():
        return {label(part).split(",")[0]: float(label(part).split(", ")[1].split()[0])
                for part in page.all("#icicle .xsp-icicle-type")}  # fmt: skip

    expected = {row[0]: row[2] for row in tables["A6"]["rows"]}
    got = types()
    check_equal(set(expected) - set(got), set(), "every layer type is a part")
    for name, time in expected.items():
        check(abs(got[name] - time) <= 1e-3 * time, f"the time of {name} is that of A6: {got[name]}, {time}")
    check(any(label(part).startswith(HOSTILE) for part in page.all("#icicle .xsp-icicle-layer")), "names are text")
    check_equal(page.all("#icicle img"), [], "and no markup")

    page.js("arguments[0].click()", page.one('#icicle [data-measure="kernel"]'))
    kernels = sum(row[3] for row in tables["A11"]["rows"] if row[3] is not None)
    whole = float(label(page.one("#icicle .xsp-icicle-model")).split(", ")[1].split()[0])
    check(abs(whole - kernels) <= 1e-3 * kernels, f"the whole of the kernels is the sum of A11: {whole}, {kernels}")

    root = data("root")
    conv = next(part for part in page.all("#icicle .xsp-icicle-type") if label(part).startswith("Conv2d"))
    page.js("arguments[0].click()", conv)
    page.settle()
    check(data("root") != root, "a click goes into a part")
    check_equal(len(page.all("#icicle .xsp-icicle-step")), 2, "the way to it is there")
    check(page.js("return document.querySelector('#icicle .xsp-icicle-type').classList.contains('xsp-icicle-held')"),
          "and it is selected")  # fmt: skip
    page.js("document.querySelector('#icicle [role=tree]').focus()")
    page.press(Keys.ARROW_DOWN)
    said = page.js("return document.querySelector('#icicle .xsp-live').textContent")
    check("layer" in said and "share of all" in said, f"a key goes to the longest layer and it is read aloud: {said}")
    page.press(Keys.BACKSPACE)
    check_equal(data("root"), root, "Backspace goes up again")

    search = page.one("#icicle input[type=search]")
    search.send_keys("sgemm")
    page.settle()
    found = sum(row[2] for row in tables["A10"]["rows"] if "sgemm" in row[0])
    check(abs(float(data("match-time")) - found) <= 1e-6 * found, f"the search adds up its finds: {data('match-time')}")
    page.picture("icicle")
