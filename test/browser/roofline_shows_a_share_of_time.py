"""The slider of a roofline leaves the fewest heaviest points that have the share of the time; a legend's entry shows its
kind alone, with Ctrl several, and Reset everything again."""
import made_profile

from xsp_browser import *

# Products that are bound by compute, beside the small ones of the linear layers.
made_profile.OPERATORS["Conv2d"] = "aten::mm"
made_profile.DIMENSIONS["Conv2d"] = [[512, 512], [512, 512]]
trace = made_trace(layers=60)
table = tables_of(trace)["A9"]
column = {each["name"]: i for i, each in enumerate(table["columns"])}
points = [row for row in table["rows"] if row[column["arithmetic_intensity"]] and row[column["throughput_tflops"]]]
times = sorted((row[column["latency_ms"]] for row in points), reverse=True)


def fewest(percent):
    count, total = 0, 0
    while total < sum(times) * percent / 100:
        total += times[count]
        count += 1
    return count


with Page(made_page(trace)) as page:
    page.go_to("A9")
    figure = '[data-figure="A9.roofline"]'
    page.wait(lambda: page.js("return document.querySelector(arguments[0]).dataset.shown", figure), "A9 gets its roofline")

    def data(name):
        return page.one(figure).get_attribute(f"data-{name}")

    def share(percent):
        page.js("""
          const range = document.querySelector(arguments[0] + " input[type=range]");
          range.value = arguments[1];
          range.dispatchEvent(new Event("input"));""", figure, str(percent))  # fmt: skip
        page.settle()

    check_equal(int(data("shown")), len(points), "at first all points with known work are shown")
    check(abs(float(data("time")) - sum(times)) < 1e-6 * sum(times), "their areas are the time of the rows")
    for percent in (50, 90, 1):
        share(percent)
        check_equal(int(data("shown")), fewest(percent), f"{percent} % of the time is the fewest heaviest points")
        check(float(data("time")) >= sum(times) * percent / 100 * (1 - 1e-6), "which reach it")
    share(100)

    of_memory = sum(row[column["bound"]] == "memory" for row in points)
    check(0 < of_memory < len(points), "the profile has points of both bounds")
    memory, compute = f"{figure} [data-group^='memory']", f"{figure} [data-group^='compute']"
    page.js("arguments[0].click()", page.one(memory))
    page.settle()
    check_equal(int(data("shown")), of_memory, "an entry of the legend shows its kind alone")
    page.js("arguments[0].dispatchEvent(new MouseEvent('click', {ctrlKey: true, bubbles: true}))", page.one(compute))
    page.settle()
    check_equal(int(data("shown")), len(points), "with Ctrl several")
    page.js("arguments[0].click()", page.one(memory))
    share(50)
    page.js("[...document.querySelectorAll(arguments[0] + ' button')].find((b) => b.textContent === 'Reset').click()", figure)
    page.settle()
    check_equal((int(data("shown")), data("isolated"), data("share")), (len(points), "", "100"), "Reset shows everything")
    page.picture("roofline")
