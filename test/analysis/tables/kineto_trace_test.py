"""A step of a vision transformer on an H100, as PyTorch's profiler recorded it, gives in our tables what the recording itself
adds up to: kineto_trace_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT. Skipped where the recording is not at hand.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
RECORDING = os.path.join(os.environ.get("XSP_SHARED_DATA", ROOT + "/../shared/data"), "kineto/tl_vit_h100.json.gz")


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


def inside(outer, of):
    return any(other.holds(of) for other in outer)


modules = [Event(e, origin) for e in recorded if e["name"].startswith("nn.Module: ")]
root = max(modules, key=lambda module: module.duration)
leaves = [m for m in modules if not any(m.holds(other) for other in modules)]
# What a container calls itself: operators in no other operator and in no module that is a layer.
operators = [op for op in events("cpu_op") if root.holds(op) and not inside(leaves, op)]
layers = leaves + [op for op in operators if not inside(operators, op)]
kernels, memsets = events("kernel"), events("gpu_memset")
runtime, driver = events("cuda_runtime"), events("cuda_driver")
executions = kernels + memsets

with tempfile.TemporaryDirectory() as folder:
    trace = os.path.join(folder, "trace.pb")
    subprocess.run([IMPORT, "-q", "--model-span", root.name, "-o", trace, RECORDING], check=True)
    done = subprocess.run([REPORT, "-q", "-a", "A8,A10,A11,A13,A15,C2,Q1", "--format", "json", trace], stdout=subprocess.PIPE)
check(done.returncode, 0, "exit code")
tables, notes = {}, {}
for name, table in json.loads(done.stdout).items():
    if name in ("xsp", "verdict", "findings"):
        continue
    names = [column["name"] for column in table.get("columns", [])]
    tables[name] = [dict(zip(names, row)) for row in table.get("rows", [])]
    notes[name] = " ".join(table.get("notes", []))


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
check(to_ns(model["model_latency_ms"]), max(root.end, *(e.end for e in executions)) - root.begin, "A15: model latency")
check((sum(r["count"] for r in tables["A10"]), to_ns(sum(r["latency_ms"] for r in tables["A10"]))), total, "A10")
check((sum(r["kernel_count"] for r in tables["A11"]), to_ns(sum(r["kernel_latency_ms"] for r in tables["A11"]))), total, "A11")
launches = Counter(row["launch"] for row in tables["A8"])
check(launches, {"cudaLaunchKernel": 81, "cuLaunchKernel": 49, "cudaLaunchKernelExC": 24}, "A8: launches")

call_of = {call.correlation: call for call in runtime + driver}
by_layer = {}


class Bookkeeping:
    """The last row: views that the model makes between its layers."""
    name = "bookkeeping"


VIEWS = {"aten::flatten", "aten::reshape", "aten::transpose", "aten::select", "aten::slice", "aten::expand", "aten::permute", "aten::view",
         "aten::unflatten", "aten::squeeze", "aten::unsqueeze"}
for kernel in kernels:
    call = call_of[kernel.correlation]
    layer = next((m for m in layers if m.holds(call)), None)
    by_layer.setdefault(Bookkeeping if layer and layer.name in VIEWS else layer, []).append(kernel)
ordered = sorted((layer for layer in layers if layer.name not in VIEWS), key=lambda layer: layer.begin)
if len(ordered) != len(layers):
    ordered.append(Bookkeeping)
rows = {row["layer_index"]: row for row in tables["A11"]}


def own_name(label):
    """Of an operator "Module_0.cat 4×1×768, 4×196×768" is "aten::cat"; modules have their own."""
    operator = label.split(" ")[0].split(".")[-1]
    return "aten::" + operator if " " in label else label


for index, layer in [*enumerate(ordered), (None, None)]:
    of = by_layer.get(layer, [])
    expected = (layer.name if layer else "(unattached)", len(of), sum(k.duration for k in of))
    row = rows[index]
    check((own_name(row["layer_name"]), row["kernel_count"], to_ns(row["kernel_latency_ms"])), expected, f"A11 of layer {index}")
views = [layer for layer in layers if layer.name in VIEWS]
for index, layer in enumerate(ordered):
    of = by_layer.get(layer, [])
    if layer is Bookkeeping:
        row = tables["A13"][index]
        expected = (layer.name, covered(of), sum(view.duration for view in views))
        check((row["layer_name"], to_ns(row["gpu_ms"]), to_ns(row["layer_latency_ms"])), expected, "A13 of bookkeeping")
        continue
    own = of + [m for m in memsets if layer.holds(call_of[m.correlation])]
    row = tables["A13"][index]
    expected = (layer.name, covered(of), covered(own + [layer]))
    measured = (own_name(row["layer_name"]), to_ns(row["gpu_ms"]), to_ns(row["layer_latency_ms"]))
    check(measured, expected, f"A13 of layer {index}")
(memset,) = [row for row in tables["C2"] if row["function"] == "memset"]
check((memset["count"], to_ns(memset["kernel_ms"])), (2, sum(m.duration for m in memsets)), "C2: memsets")
check({row["occupancy_pct"] for row in tables["A8"]}, {None}, "occupancies by arguments")
check("occupancy_pct needs counters: xsp-run --metrics" in notes["A8"], True, "A8: a note on the empty column")
unmatched = {row["quantity"]: row["value"] for row in tables["Q1"] if row["level"] == "all"}
check((unmatched["unmatched_launch"], unmatched["unmatched_execution"]), (0, 0), "Q1")
