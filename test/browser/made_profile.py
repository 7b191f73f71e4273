"""Profiles as PyTorch's profiler writes them, of models made up here: as many layers as a test needs, with the names it
needs, and kernels whose times are known.
"""
import json

TYPES = ("Conv2d", "BatchNorm2d", "ReLU", "Linear")
KERNELS = {
    "Conv2d": "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, true, false, true>(int, int, int, "
              "float const*, int, float*, kernel_conv_params, int, float, float, int, float*, float*, int, int)",
    "BatchNorm2d": "void batch_norm_elementwise<float>(float const*, float*)",
    "ReLU": "void at::native::vectorized_elementwise_kernel<4, relu>(int, relu, at::detail::Array<char*, 2>)",
    "Linear": "ampere_sgemm_128x64_tn",
}  # fmt: skip
OPERATORS = {"Conv2d": "aten::conv2d", "BatchNorm2d": "aten::batch_norm", "ReLU": "aten::relu", "Linear": "aten::linear"}
DIMENSIONS = {
    "Conv2d": [[8, 64, 56, 56], [64, 64, 3, 3], [64]],
    "BatchNorm2d": [[8, 64, 56, 56], [64], [64]],
    "ReLU": [[8, 64, 56, 56]],
    "Linear": [[8, 512], [1000, 512], [1000]],
}
PID, STREAM = 4242, 7


def event(category, name, begin, duration, arguments, pid=PID, tid=PID):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": begin, "dur": duration, "args": arguments}


def layer_events(kind, name, begin, microseconds, correlation, kernel, device_begin, device_us):
    """A module that calls an operator, which launches a kernel."""
    return [
        event("python_function", f"nn.Module: {name}", begin, microseconds, {"Python id": correlation}),
        event("cpu_op", OPERATORS[kind], begin + 1, microseconds - 2,
              {"External id": correlation, "Input Dims": DIMENSIONS[kind], "Input type": ["float"] * len(DIMENSIONS[kind])}),
        event("cuda_runtime", "cudaLaunchKernel", begin + 2, 2, {"External id": correlation, "cbid": 211, "correlation": correlation}),
        event("kernel", kernel, device_begin, device_us,
              {"External id": correlation, "device": 0, "context": 1, "stream": STREAM, "correlation": correlation,
               "registers per thread": 64, "grid": [128, 1, 1], "block": [256, 1, 1]}, pid=0, tid=STREAM),
    ]  # fmt: skip


def write_profile(path, layers=12, names=None, kernels=None, evaluations=1, launches=True, slow=()):
    """`layers` layers by turns of TYPES. Layer i takes 10 + i % 7 us on the host and 4 + i % 5 us on the device.
    names: of the first layers; kernels: of the first layers' kernels; slow: evaluations whose kernels take five times as
    long."""
    events, correlation, now, device = [], 0, 1_000_000.0, 0.0
    for step in range(evaluations):
        begin = now
        now += 2
        inside = []
        for i in range(layers):
            kind = TYPES[i % len(TYPES)]
            name = names[i] if names and i < len(names) else f"{kind}_{i // len(TYPES)}"
            kernel = kernels[i] if kernels and i < len(kernels) else KERNELS[kind]
            correlation += 1
            length = 10 + i % 7
            device = max(device, now + 5)
            busy = (4 + i % 5) * (5 if step in slow else 1)
            made = layer_events(kind, name, now, length, correlation, kernel, device, busy)
            inside += made if launches else made[:2]
            device += busy
            now += length + 1
        end = max(now, device) + 2
        events.append(event("user_annotation", f"ProfilerStep#{step}", begin, end - begin + 2, {}))
        events.append(event("python_function", "nn.Module: Net_0", begin + 1, end - begin, {"Python id": 0}))
        events += inside
        now = end + 10
    profile = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB", "totalGlobalMem": 16 << 30, "computeMajor": 7,
                              "computeMinor": 0, "numSms": 80}],
        "record_shapes": 1, "with_modules": 1, "baseTimeNanoseconds": 0, "displayTimeUnit": "ms",
        "traceEvents": [{"name": "process_name", "ph": "M", "ts": 0, "pid": PID, "tid": 0, "args": {"name": "python3"}}] + events,
    }  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file)
