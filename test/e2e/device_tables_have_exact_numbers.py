"""A8, A10, A11, A13, A15 and the copies of C2 have the exact numbers of a loop whose kernels take known times, in one stream,
in two, and replayed from a graph; A10, A11 and A15 have the same sum.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

# layer, kernel, library call that launched it, microseconds
EXPECTED = [
    ("conv1", "cudnn_nchwToNhwcKernel", "cudnnConvolutionForward", 25),
    ("conv1", "implicit_convolve_sgemm", "cudnnConvolutionForward", 90),
    ("conv1", "bias_relu", None, 15),
    ("fc1", "ampere_sgemm_128x64_tn", "cublasSgemm_v2", 110),
    ("fc2", "sm90_xmma_gemm_f16f16_128x128", "cublasGemmEx", 140),
    ("fc2", "splitKreduce_kernel", "cublasGemmEx", 20),
    ("relu2", "bias_relu", None, 15),
    ("softmax", "softmax", None, 30),
]
TOTAL = 445


def table(tables, name):
    """Rows as dictionaries by column name."""
    columns = [column["name"] for column in tables[name]["columns"]]
    return [dict(zip(columns, row)) for row in tables[name]["rows"]]


def microseconds(milliseconds):
    return None if milliseconds is None else round(milliseconds * 1e3, 6)


def total_by(key):
    totals = {}
    for row in EXPECTED:
        count, us = totals.get(key(row), (0, 0))
        totals[key(row)] = count + 1, us + row[3]
    return totals


work_folder()
for words in ([], ["streams"], ["graph"]):
    outcome = run_on_device(fake("inference"), 6, *words).check_success()
    tables = outcome.tables("A8", "A10", "A11", "A13", "A15", "C2")
    rows = [(r["layer_name"], r["kernel_name"], r["library_call"], microseconds(r["latency_ms"])) for r in table(tables, "A8")]
    check_equal(sorted(rows, key=str), sorted(EXPECTED, key=str), f"{words}: A8")
    if not words:
        check_equal(rows, EXPECTED, "A8 in order of the launches")

    rows = {r["kernel_name"]: (r["count"], microseconds(r["latency_ms"])) for r in table(tables, "A10")}
    check_equal(rows, total_by(lambda row: row[1]), f"{words}: A10")

    rows = {r["layer_name"]: (r["kernel_count"], microseconds(r["kernel_latency_ms"]))
            for r in table(tables, "A11") if r["kernel_count"]}  # fmt: skip
    check_equal(rows, total_by(lambda row: row[0]), f"{words}: A11")

    (model,) = table(tables, "A15")
    check_equal((model["kernel_count"], microseconds(model["kernel_latency_ms"])), (8, TOTAL), f"{words}: A15")
    check_equal(model["launches"], 1 if "graph" in words else 8, f"{words}: launches of a model's call")
    check(model["model_latency_ms"] * 1e3 >= model["gpu_busy_ms"] * 1e3 > 0, f"{words}: model latency {model}")
    check((microseconds(model["own_kernel_ms"]) == TOTAL) == ("streams" not in words), f"{words}: busy time {model}")

    if "graph" not in words:
        for row in table(tables, "A13"):
            count, us = total_by(lambda r: r[0])[row["layer_name"]]
            got = (row["kernel_count"], microseconds(row["gpu_ms"]), microseconds(row["kernel_ms"]))
            check_equal(got, (count, us, us), f"{words}: A13 of {row['layer_name']}")
            rest = microseconds(row["layer_latency_ms"] - row["gpu_ms"])
            check_equal(microseconds(row["non_gpu_ms"]), rest, f"{words}: the rest of {row['layer_name']}")
            check(rest > 0, f"{words}: {row['layer_name']} was on the device only")

    rows = {r["function"]: (r["count"], r["bytes"], microseconds(r["kernel_ms"]))
            for r in table(tables, "C2") if r["library"] == "device memory"}  # fmt: skip
    # As the stand-in driver has it: 2 us and 1 ns for 16 bytes; 1 us and 1 ns for 64 bytes.
    expected = {"memcpy HtoD": (1, 602112, 39.632), "memcpy DtoH": (1, 4000, 2.25), "memset": (1, 4000, 1.062)}
    check_equal(rows, expected, f"{words}: copies and memsets")
