"""cudnn_graphs.py CUDNN all|repeat|reuse: cuDNN's graph API by ctypes, without its headers and without a device. Plans are
made for described devices and executed with a null handle, which fails. Prints what the library says of each plan: the
compute capability, the graph, the engine, the workspace in bytes, the status of the execution.

all: every graph for every device. repeat: one plan, executed 100 times. reuse: a plan destroyed, another made at its address.
"""
import ctypes
import json
import sys
from ctypes import byref, c_float, c_int, c_int64, c_void_p

cudnn = ctypes.CDLL(sys.argv[1])

# Of enum cudnnBackendAttributeType_t, cudnnBackendDescriptorType_t and cudnnDataType_t.
DATA_TYPE, INT64, FLOAT_VALUE, VOID_PTR, CONVOLUTION_MODE, HEUR_MODE, POINTWISE_MODE = 1, 3, 4, 6, 7, 8, 14
BOOLEAN, DESCRIPTOR, CHAR = 2, 15, 24
POINTWISE, CONVOLUTION, ENGINE, ENGINE_CONFIG, HEURISTICS, PLAN, OP_CONVOLUTION, OP_POINTWISE, GRAPH = 0, 1, 2, 3, 4, 5, 10, 13, 15
PACK, TENSOR, MATMUL, OP_MATMUL, DEVICE = 16, 17, 18, 19, 38
F32, F16 = 0, 2

# Multiprocessors, shared memory (of one, and of a block that asks), threads and blocks of one.
DEVICES = {
    75: ("Tesla T4", 40, 65536, 65536, 1024, 16), 80: ("NVIDIA A100", 108, 167936, 166912, 2048, 32),
    89: ("NVIDIA L40", 142, 102400, 101376, 1536, 24), 90: ("NVIDIA H200", 132, 233472, 232448, 2048, 32),
    100: ("NVIDIA B200", 148, 233472, 232448, 2048, 32), 120: ("NVIDIA GeForce RTX 5090", 170, 102400, 101376, 1536, 24),
}  # fmt: skip


class Refused(Exception):
    pass


def descriptor(kind, *attributes):
    made = c_void_p()
    assert cudnn.cudnnBackendCreateDescriptor(kind, byref(made)) == 0
    for name, type, values in attributes:
        status = cudnn.cudnnBackendSetAttribute(made, name, type, c_int64(len(values)), values)
        assert status == 0, (kind, name, status)
    status = cudnn.cudnnBackendFinalize(made)
    if status != 0:
        raise Refused(f"{kind}: {status}")
    return made


def int64s(*values):
    return (c_int64 * len(values))(*values)


def ints(*values):
    return (c_int * len(values))(*values)


def floats(*values):
    return (c_float * len(values))(*values)


def pointers(*values):
    return (c_void_p * len(values))(*[v.value for v in values])


def device(capability):
    name, processors, shared, shared_optin, threads, blocks = DEVICES[capability]
    version = capability * 10
    text = json.dumps({
        "deviceName": name, "major": capability // 10, "minor": capability % 10, "ver": version, "smVersion": version,
        "deviceVer": version, "multiProcessorCount": processors, "warpSize": 32, "maxGridSize": [2147483647, 65535, 65535],
        "maxBlockSize": [1024, 1024, 64], "regsPerBlock": 65536, "maxRegistersPerSM": 65536,
        "maxSharedMemoryPerBlock": 49152, "maxSharedMemoryPerBlockOptin": shared_optin, "maxSharedMemoryPerSM": shared,
        "sharedMemoryPerSM": shared, "reservedSharedMemoryPerBlock": 1024, "maxCtasPerSM": blocks, "maxThreadsPerBlock": 1024,
        "maxThreadsPerSM": threads, "pciDeviceId": 0, "isTccDriver": 0, "supportCoopLaunch": 1, "smClockRateKHz": 1700000,
        "memClockRateKHz": 2600000, "l2CacheSize": 52428800, "deviceId": 0, "cudaDeviceId": 0, "cudaDriverVersion": 13000,
        "driverVersion": 13000, "driverVer": 13000, "totalGlobalMem": 34359738368,
    })  # fmt: skip
    characters = ctypes.create_string_buffer(text.encode(), len(text))
    return descriptor(DEVICE, (2702, CHAR, characters))


def tensor(uid, type, sizes, nhwc=False, virtual=False):
    order = [0, *range(2, len(sizes)), 1] if nhwc else range(len(sizes))
    strides, step = [0] * len(sizes), 1
    for i in reversed(list(order)):
        strides[i], step = step, step * sizes[i]
    attributes = [(901, DATA_TYPE, ints(type)), (902, INT64, int64s(*sizes)), (903, INT64, int64s(*strides)),
                  (906, INT64, int64s(uid)), (900, INT64, int64s(16))]  # fmt: skip
    if virtual:
        attributes.append((907, BOOLEAN, (ctypes.c_bool * 1)(True)))
    return descriptor(TENSOR, *attributes)


def convolution(x, w, y, pad, stride):
    what = descriptor(
        CONVOLUTION, (106, INT64, int64s(2)), (100, DATA_TYPE, ints(F32)), (101, CONVOLUTION_MODE, ints(1)),
        (105, INT64, int64s(*pad)), (104, INT64, int64s(*pad)), (102, INT64, int64s(1, 1)), (103, INT64, int64s(*stride)),
    )  # fmt: skip
    return descriptor(
        OP_CONVOLUTION, (704, DESCRIPTOR, pointers(x)), (703, DESCRIPTOR, pointers(w)), (705, DESCRIPTOR, pointers(y)),
        (702, DESCRIPTOR, pointers(what)), (700, FLOAT_VALUE, floats(1)), (701, FLOAT_VALUE, floats(0)),
    )  # fmt: skip


def pointwise(mode, x, b, y):
    what = descriptor(POINTWISE, (0, POINTWISE_MODE, ints(mode)), (1, DATA_TYPE, ints(F32)))
    attributes = [(750, DESCRIPTOR, pointers(what)), (751, DESCRIPTOR, pointers(x)), (753, DESCRIPTOR, pointers(y))]
    if b is not None:
        attributes.insert(2, (752, DESCRIPTOR, pointers(b)))
    return descriptor(OP_POINTWISE, *attributes)


def convolution_graph(type, nhwc, stride=(1, 1), channels=64):
    n, size, outputs = 8, 28, 128
    x = tensor(1, type, (n, channels, size, size), nhwc)
    w = tensor(2, type, (outputs, channels, 3, 3), nhwc)
    y = tensor(3, type, (n, outputs, size // stride[0], size // stride[1]), nhwc)
    return [convolution(x, w, y, (1, 1), stride)]


def fused_graph(type, nhwc):
    n, channels, size, outputs = 4, 32, 14, 64
    out = (n, outputs, size, size)
    x = tensor(1, type, (n, channels, size, size), nhwc)
    w = tensor(2, type, (outputs, channels, 1, 1), nhwc)
    product, sum = (tensor(uid, F32, out, nhwc, virtual=True) for uid in (3, 4))
    bias, y = tensor(5, type, (1, outputs, 1, 1), nhwc), tensor(6, type, out, nhwc)
    return [convolution(x, w, product, (0, 0), (1, 1)), pointwise(0, product, bias, sum), pointwise(100, sum, None, y)]


def matmul_graph(type):
    a, b, c = (tensor(uid, type, sizes) for uid, sizes in ((1, (6, 96, 40)), (2, (6, 40, 72)), (3, (6, 96, 72))))
    what = descriptor(MATMUL, (1500, DATA_TYPE, ints(F32)))
    return [descriptor(OP_MATMUL, (1520, DESCRIPTOR, pointers(a)), (1521, DESCRIPTOR, pointers(b)),
                       (1522, DESCRIPTOR, pointers(c)), (1523, DESCRIPTOR, pointers(what)))]  # fmt: skip


GRAPHS = {
    "convolution-f32-nchw": lambda: convolution_graph(F32, False), "convolution-f16-nhwc": lambda: convolution_graph(F16, True),
    "strided-f32-nhwc": lambda: convolution_graph(F32, True, (2, 2)), "fused-f16-nhwc": lambda: fused_graph(F16, True),
    "fused-f32-nhwc": lambda: fused_graph(F32, True), "matmul-f16": lambda: matmul_graph(F16),
    "matmul-f32": lambda: matmul_graph(F32), "small-f16-nhwc": lambda: convolution_graph(F16, True, channels=16),
}  # fmt: skip


def asked(object, name, type, value):
    count = c_int64()
    status = cudnn.cudnnBackendGetAttribute(object, name, type, c_int64(1), byref(count), byref(value))
    assert status == 0, (name, status)
    return value.value


def configurations(graph_name, on):
    """The heuristics' engine configurations, best first."""
    graph = descriptor(GRAPH, (801, DESCRIPTOR, pointers(*GRAPHS[graph_name]())))
    for mode in (3, 2):  # A, fallback
        try:
            heuristics = descriptor(
                HEURISTICS, (201, DESCRIPTOR, pointers(graph)), (200, HEUR_MODE, ints(mode)), (204, DESCRIPTOR, pointers(on))
            )
        except Refused:
            continue
        count = c_int64()
        cudnn.cudnnBackendGetAttribute(heuristics, 202, DESCRIPTOR, c_int64(0), byref(count), None)
        made = []
        for _ in range(count.value):
            configuration = c_void_p()
            assert cudnn.cudnnBackendCreateDescriptor(ENGINE_CONFIG, byref(configuration)) == 0
            made.append(configuration)
        found = pointers(*made)
        status = cudnn.cudnnBackendGetAttribute(heuristics, 202, DESCRIPTOR, count, byref(count), found)
        assert status == 0, status
        yield from (c_void_p(value) for value in found[: count.value])


def engine_of(configuration):
    engine = c_void_p()
    assert cudnn.cudnnBackendCreateDescriptor(ENGINE, byref(engine)) == 0
    asked(configuration, 300, DESCRIPTOR, engine)
    notes, count = (c_int * 16)(), c_int64()
    assert cudnn.cudnnBackendGetAttribute(engine, 1303, 11, c_int64(16), byref(count), notes) == 0
    return f"{asked(engine, 1301, INT64, c_int64())} {','.join(map(str, notes[: count.value])) or '-'}"


def plan_of(graph_name, on):
    """A finalized plan, its engine and notes, or nothing: not every graph has an engine on every device."""
    for configuration in configurations(graph_name, on):
        try:
            plan = descriptor(PLAN, (401, DESCRIPTOR, pointers(configuration)), (407, DESCRIPTOR, pointers(on)))
        except Refused:
            continue
        return plan, engine_of(configuration)
    return None, None


def execute(capability, graph_name, plan, engine, times=1):
    pack = descriptor(PACK, (1000, INT64, int64s(1)), (1001, VOID_PTR, pointers(c_void_p(0x1000))),
                      (1003, VOID_PTR, pointers(c_void_p(0x1000))))  # fmt: skip
    for _ in range(times):
        status = cudnn.cudnnBackendExecute(None, plan, pack)
    last_error = ctypes.create_string_buffer(1000)
    cudnn.cudnnGetLastErrorString(last_error, ctypes.c_size_t(len(last_error)))
    print(capability, graph_name, engine, asked(plan, 402, INT64, c_int64()), status)
    print(" ", last_error.value.decode().replace("\n", " "))


if sys.argv[2] == "all":
    for capability in DEVICES:
        on = device(capability)
        for graph_name in GRAPHS:
            plan, engine = plan_of(graph_name, on)
            if plan is None:
                print(capability, graph_name, "none")
            else:
                execute(capability, graph_name, plan, engine)
elif sys.argv[2] == "repeat":
    plan, engine = plan_of("convolution-f16-nhwc", device(90))
    execute(90, "convolution-f16-nhwc", plan, engine, 100)
else:
    on = device(90)
    first = "convolution-f16-nhwc"
    for second in ("small-f16-nhwc", "strided-f32-nhwc"):
        plan, engine = plan_of(first, on)
        execute(90, first, plan, engine)
        (configuration, *_) = configurations(second, on)
        address = plan.value
        cudnn.cudnnBackendDestroyDescriptor(plan)
        plan = descriptor(PLAN, (401, DESCRIPTOR, pointers(configuration)), (407, DESCRIPTOR, pointers(on)))
        execute(90, second, plan, engine_of(configuration))
        print("same address" if plan.value == address else "another address")
