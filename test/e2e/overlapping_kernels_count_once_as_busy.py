"""Two kernels of a layer that run at the same time in two streams: the layer's time on the device is that of one, the sum of
the kernels that of both, and A10, A11 and A15 go by the sum.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder

work_folder()
# Long enough that the device is still busy when the last layer's kernels are launched.
durations = "softmax=30ms,sm90_xmma_gemm=50ms"
outcome = run_on_device(fake("inference"), 4, "streams", "overlap", FAKE_CUDA_KERNELS=durations)
outcome.check_success().check_executions().check_launches()
tables = outcome.tables("A10", "A11", "A13", "A15")


def row_of(table, column, value):
    names = [c["name"] for c in tables[table]["columns"]]
    (row,) = [dict(zip(names, r)) for r in tables[table]["rows"] if dict(zip(names, r))[column] == value]
    return row


layer = row_of("A13", "layer_name", "softmax")
check_equal((round(layer["gpu_ms"], 6), round(layer["kernel_ms"], 6), layer["kernel_count"]), (30, 60, 2), "A13")
kernel = row_of("A10", "kernel_name", "softmax")
check_equal((round(kernel["latency_ms"], 6), kernel["count"]), (60, 2), "A10")
check_equal(round(row_of("A11", "layer_name", "softmax")["kernel_latency_ms"], 6), 60, "A11")
sums = [sum(row[i] for row in tables[name]["rows"]) for name, i in (("A10", 2), ("A11", 3), ("A15", 2))]
check_equal({round(value, 6) for value in sums}, {round(sums[0], 6)}, "sums of A10, A11 and A15")
