"""The layers of an ONNX Runtime model are the nodes of ORT's own profile of the same run: same order, names, types,
shapes and durations. A profile that the user asked for stays, and is whole.
"""
import json

from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import PROGRAMS, branching_onnx, check, check_equal, ort_python, resnet50_onnx, work_folder, xsp_run


def shape_text(shapes):
    """[{"float": [1, 8]}] as the trace writes it."""
    return ";".join("[" + ",".join(map(str, sizes)) + "]" for shape in shapes for sizes in shape.values())


def nodes_of(path):
    with open(path) as file:
        events = json.load(file)
    nodes = [e for e in events if e["cat"] == "Node" and e["name"].endswith("_kernel_time")]
    return sorted(nodes, key=lambda e: e["ts"])


python = ort_python()
work_folder()
for model in (branching_onnx(python), resnet50_onnx(python)):
    done = xsp_run(python, PROGRAMS / "ort_infer.py", model, 10, "profile").check_success()
    nodes = nodes_of(done.stdout.decode().splitlines()[-1])
    check(nodes, "ORT wrote a profile with nodes")
    trace = done.trace
    runs = trace.of_kind(ORT_RUN)
    layers = trace.of_kind(ORT_NODE)
    check_equal(len(runs), 10, f"{model.name}: model spans")
    check_equal(len(layers), len(nodes), f"{model.name}: layers")
    check_equal([s.name for s in layers], [n["name"].removesuffix("_kernel_time") for n in nodes], f"{model.name}: names")
    check_equal([s.type for s in layers], [n["args"]["op_name"] for n in nodes], f"{model.name}: types")
    check_equal([s.shape for s in layers], [shape_text(n["args"]["output_type_shape"]) for n in nodes], f"{model.name}: shapes")
    for span, node in zip(layers, nodes):
        check(abs((span.end - span.begin) / 1000 - node["dur"]) <= 1.001, f"{span.name}: duration in microseconds")
    for run in runs:
        inside = [s for s in layers if run.begin <= s.begin and s.end <= run.end]
        check_equal(len(inside), len(nodes) // 10, f"{model.name}: layers inside a run by time")
        check(sum(s.end - s.begin for s in inside) <= run.end - run.begin, "layers take no longer than their run")
