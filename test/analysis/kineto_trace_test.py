"""A step of a vision transformer on an H100, as PyTorch's profiler recorded it, gives in our tables what the recording itself
adds up to: kineto_trace_test.py XSP_REPORT PROTOC SOURCE_ROOT. Skipped where the recording is not at hand.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

REPORT, PROTOC, ROOT = [os.path.abspath(p) if os.sep in p else p for p in sys.argv[1:4]]
RECORDING = os.path.join(os.environ.get("XSP_SHARED_DATA", ROOT + "/../shared/data"), "kineto/tl_vit_h100.json.gz")
MODEL, LAYER, RUNTIME, DEVICE = 2, 3, 5, 6
MODULE, CONTAINER, MODEL_CALL, RUNTIME_CALL, DRIVER_CALL, KERNEL, MEMSET = 2, 3, 4, 9, 12, 13, 15


def ns(microseconds):
    return round(microseconds * 1000)


class Event:
    def __init__(self, event, origin):
        self.name = event["name"].removeprefix("nn.Module: ")
        self.begin = ns(event["ts"] - origin) + 1_000_000
        self.duration = ns(event["dur"])
        self.end = self.begin + self.duration
        self.correlation = event["args"].get("correlation", 0)

    def holds(self, other):
        return self is not other and self.begin <= other.begin and other.end <= self.end


def differences(values, signed):
    """The columns of trace.proto: each value's difference to the one before; unsigned ones as 1 + zigzag, 0 for none."""
    last, column = 0, []
    for value in values:
        if not signed and value == 0:
            column.append(0)
            continue
        difference, last = value - last, value
        column.append(difference if signed else 1 + (2 * difference if difference >= 0 else -2 * difference - 1))
    return column


def batch(rows, strings):
    """rows: (event, level, kind), in the order of the batch."""
    columns = {
        "begin": differences([event.begin for event, _, _ in rows], True),
        "duration": [event.duration for event, _, _ in rows],
        "level_kind": [level | kind << 3 for _, level, kind in rows],
        "name": [strings.setdefault(event.name, len(strings) + 1) for event, _, _ in rows],
        "correlation": differences([event.correlation for event, _, _ in rows], False),
    }  # fmt: skip
    return f"count: {len(rows)} " + " ".join(f"{name}: {column}" for name, column in columns.items())


def encode(packets):
    text = "\n".join(f"packet {{ {packet} }}" for packet in packets)
    command = [PROTOC, "--encode=xsp.Trace", "--proto_path=" + ROOT + "/proto", "trace.proto"]
    return subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


def check(got, expected, what):
    if got != expected:
        sys.exit(f"{what}\n  expected: {expected}\n  got:      {got}")


if not os.path.exists(RECORDING):
    print("skipped: no recording of PyTorch's profiler")
    sys.exit(77)
with gzip.open(RECORDING) as file:
    recorded = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X" and "dur" in event]
origin = min(event["ts"] for event in recorded)


def events(*categories):
    return [Event(event, origin) for event in recorded if event.get("cat") in categories]


modules = [Event(e, origin) for e in recorded if e["name"].startswith("nn.Module: ")]
root = max(modules, key=lambda module: module.duration)
containers = [m for m in modules if m is not root and any(m.holds(other) for other in modules)]
layers = [m for m in modules if m is not root and m not in containers]
kernels, memsets = events("kernel"), events("gpu_memset")
runtime, driver = events("cuda_runtime"), events("cuda_driver")

spans = [(root, MODEL, MODEL_CALL), *((m, LAYER, CONTAINER) for m in containers), *((m, LAYER, MODULE) for m in layers),
         *((c, RUNTIME, RUNTIME_CALL) for c in runtime), *((c, RUNTIME, DRIVER_CALL) for c in driver)]  # fmt: skip
spans.sort(key=lambda row: (row[0].end, -row[0].begin))
executions = [*((k, DEVICE, KERNEL) for k in kernels), *((m, DEVICE, MEMSET) for m in memsets)]
executions.sort(key=lambda row: row[0].begin)
strings = {}
span_batch, activity_batch = batch(spans, strings), batch(executions, strings)
texts = " ".join(f"text: {json.dumps(name)}" for name in strings)
trace = encode([
    "sequence: 1 header { format_version: 1 }",
    'process: 1 sequence: 1 hello { protocol_version: 1 pid: 1 start_ns: 1 }',
    f"process: 1 sequence: 2 strings {{ first_id: 1 {texts} }}",
    f"process: 1 sequence: 3 spans {{ thread: 1 ring: 0 {span_batch} }}",
    f"process: 1 sequence: 4 activities {{ ring: 1 queue {{ context: 1 stream: 7 }} {activity_batch} }}",
    "process: 1 sequence: 5 process_end { how: GOODBYE }",
    "sequence: 2 trace_end { complete: true }",
])  # fmt: skip
with tempfile.NamedTemporaryFile(suffix=".pb") as file:
    file.write(trace)
    file.flush()
    done = subprocess.run([REPORT, "-a", "A8,A10,A11,A13,A15,C2,Q1", "--format", "json", file.name], stdout=subprocess.PIPE)
check(done.returncode, 0, "exit code")
tables = {}
for name, table in json.loads(done.stdout).items():
    names = [column["name"] for column in table.get("columns", [])]
    tables[name] = [dict(zip(names, row)) for row in table.get("rows", [])]


def covered(of):
    end, length = 0, 0
    for event in sorted(of, key=lambda event: event.begin):
        length += max(0, event.end - max(event.begin, end))
        end = max(end, event.end)
    return length


def to_ns(milliseconds):
    return round(milliseconds * 1e6)


# What is known of this recording, and what the converted events add up to.
check((len(kernels), sum(k.duration for k in kernels)), (154, 1_220_926), "kernels of the recording")
total = (154, 1_220_926)
(model,) = tables["A15"]
check((model["kernel_count"], to_ns(model["kernel_latency_ms"])), total, "A15")
check(to_ns(model["gpu_busy_ms"]), covered(kernels), "A15: time in which a kernel runs")
check(to_ns(model["model_latency_ms"]), max(root.end, *(e.end for e, _, _ in executions)) - root.begin, "A15: model latency")
check((sum(r["count"] for r in tables["A10"]), to_ns(sum(r["latency_ms"] for r in tables["A10"]))), total, "A10")
check((sum(r["kernel_count"] for r in tables["A11"]), to_ns(sum(r["kernel_latency_ms"] for r in tables["A11"]))), total, "A11")
launches = Counter(row["launch"] for row in tables["A8"])
check(launches, {"cudaLaunchKernel": 81, "cuLaunchKernel": 49, "cudaLaunchKernelExC": 24}, "A8: launches")

call_of = {call.correlation: call for call in runtime + driver}
by_layer = {}
for kernel in kernels:
    call = call_of[kernel.correlation]
    layer = next((m for m in layers if m.holds(call)), None)
    by_layer.setdefault(layer, []).append(kernel)
ordered = sorted(layers, key=lambda layer: layer.begin)
rows = {row["layer_index"]: row for row in tables["A11"]}
for index, layer in [*enumerate(ordered), (None, None)]:
    of = by_layer.get(layer, [])
    expected = (layer.name if layer else "(unattached)", len(of), sum(k.duration for k in of))
    row = rows[index]
    check((row["layer_name"], row["kernel_count"], to_ns(row["kernel_latency_ms"])), expected, f"A11 of layer {index}")
for index, layer in enumerate(ordered):
    of = by_layer.get(layer, [])
    own = of + [m for m in memsets if layer.holds(call_of[m.correlation])]
    row = tables["A13"][index]
    expected = (layer.name, covered(of), covered(own + [layer]))
    check((row["layer_name"], to_ns(row["gpu_ms"]), to_ns(row["layer_latency_ms"])), expected, f"A13 of layer {index}")
(memset,) = [row for row in tables["C2"] if row["function"] == "memset"]
check((memset["count"], to_ns(memset["kernel_ms"])), (2, sum(m.duration for m in memsets)), "C2: memsets")
unmatched = {row["quantity"]: row["value"] for row in tables["Q1"] if row["level"] == "all"}
check((unmatched["unmatched_launch"], unmatched["unmatched_execution"]), (0, 0), "Q1")
