"""A1, A2, A8, A10, A11, A13, A15 and L1 over a leveled set equal what a second reader and a second arithmetic make of
its raw spans: on the host, and on a device for which layers do not wait, by several statistics.
"""
from support.fake_cuda import device_environment, fake
from support.run_sets import xsp_set
from support.set_truth import SetTruth
from support.xsp_e2e import BUILD, check, check_equal, clean_environment, report, skip, work_folder

STATISTICS = [("trimmed", None), ("median", None), ("min", None), ("p90", None), ("trimmed", 3)]

known_costs = BUILD / "test/e2e/known_costs"
if not known_costs.exists():
    skip("the C program on xsp.h is not built")
work_folder()


def check_near(got, expected, what):
    """Cell by cell; times are sums of whole nanoseconds."""
    check_equal(len(got), len(expected), f"{what}: number of values of {got}")
    for one, other in zip(got, expected):
        is_number = isinstance(one, (int, float)) and isinstance(other, (int, float))
        same = abs(one - other) <= 1e-9 * max(1, abs(other)) if is_number else one == other
        check(same, f"{what}\n  expected: {expected}\n  got:      {got}")


def rows(tables, name, *columns):
    at = [[column["name"] for column in tables[name]["columns"]].index(column) for column in columns]
    return [tuple(row[i] for i in at) for row in tables[name]["rows"]]


def check_set(folder, name, skipped):
    what = f"{folder}, --stat {name}, --skip {skipped}"
    options = ["--stat", name] + ([] if skipped is None else ["--skip", skipped])
    tables = report(folder, *options)
    truth = SetTruth(folder, name, skipped)
    latency = truth.row(0, lambda e: e.latency)
    check_near(rows(tables, "A1", "latency_ms", "n", "spread")[0], latency, f"{what}: A1")
    got = rows(tables, "A2", "name", "latency_ms", "n", "spread")
    for row, expected in zip(got, truth.a2(), strict=True):
        check_near(row, expected, f"{what}: A2")
    by_type = sum(ms for (ms,) in rows(tables, "A6", "latency_ms"))
    check_near([by_type], [sum(row[1] for row in got)], f"{what}: sum of A6")

    expected = truth.l1()
    l1 = rows(tables, "L1", "level_set", "event_level", "layer_index", "latency_ms", "overhead_ms", "n", "spread")
    check_equal({row[:3] for row in l1}, set(expected), f"{what}: rows of L1")
    for row in l1:
        check_near(row[3:], expected[row[:3]], f"{what}: L1 {row[:3]}")
    if 3 not in truth.levels or not truth.levels[3][0].kernels:
        return

    kernels = truth.kernels()
    total = sum(ms for _, _, ms in kernels)
    for row, one in zip(rows(tables, "A8", "kernel_name", "layer_index", "latency_ms"), kernels, strict=True):
        check_near(row, one, f"{what}: A8")
    for kernel, count, ms, percent in rows(tables, "A10", "kernel_name", "count", "latency_ms", "latency_pct"):
        own = [time for one, _, time in kernels if one == kernel]
        check_near((count, ms, percent), (len(own), sum(own), 100 * sum(own) / latency[0]), f"{what}: A10 {kernel}")
    for layer, count, ms in rows(tables, "A11", "layer_index", "kernel_count", "kernel_latency_ms"):
        own = [time for _, index, time in kernels if index == layer]
        check_near((count, ms), (len(own), sum(own)), f"{what}: A11 {layer}")
    for row, one in zip(rows(tables, "A13", "layer_latency_ms", "gpu_ms", "non_gpu_ms"), truth.a13(), strict=True):
        check_near(row, one, f"{what}: A13")
    a15 = rows(tables, "A15", "model_latency_ms", "kernel_count", "kernel_latency_ms", "gpu_latency_pct", "n")[0]
    check_near(a15, (latency[0], len(kernels), total, 100 * total / latency[0], len(truth.levels[3])), f"{what}: A15")


xsp_set(known_costs, 30, options=("--leveled", "--level", "library", "--runs", 3), output="host",
        env=clean_environment()).check_success()  # fmt: skip
for words in ([], ["streams"]):
    xsp_set(fake("inference"), 12, *words, options=("--leveled", "--level", "kernel", "--runs", 3),
            output="-".join(["device", *words]), env=device_environment()).check_success()  # fmt: skip
for folder in ("host", "device", "device-streams"):
    for name, skipped in STATISTICS:
        check_set(folder, name, skipped)
