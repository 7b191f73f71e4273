#!/usr/bin/env python3
"""Shapes and types of all values that a model computes, as xsp-bound infers and as ONNX Runtime finds them:

    PYTHON shapes_of_onnxruntime.py XSP_BOUND MODEL...

where PYTHON has onnxruntime and onnx. Open dimensions are 1. A line a model; exit code 1 where anything differs.
"""
import collections
import json
import subprocess
import sys

import numpy
import onnx
import onnxruntime

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bool": "bool", "object": "string"}
NAMES.update({f"{sign}int{bits}": f"{'u' if sign else 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)})


def inferred(program, model):
    """Output texts by layer, and the shapes of the model's inputs."""
    done = subprocess.run([program, model, "--no-run", "--database", "/nonexistent/none.sqlite", "-a", "B1", "--format",
                           "json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.splitlines()[0]
    report = json.loads(done.stdout)
    names = [column["name"] for column in report["B1"]["columns"]]
    layers = [dict(zip(names, row)) for row in report["B1"]["rows"]]
    return {layer["name"]: layer["outputs"] for layer in layers}, len(layers)


def value_of(declared):
    kind = declared.type.tensor_type
    shape = [dim.dim_value or 1 for dim in kind.shape.dim]
    element = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
    if element == object:
        return numpy.full(shape, "a", dtype=object)
    if numpy.issubdtype(element, numpy.floating):
        return numpy.random.default_rng(0).standard_normal(shape).astype(element)
    return numpy.ones(shape, element)


def computed(path):
    """Texts by value, of all values that are tensors."""
    model = onnx.load(path)
    weights = {tensor.name for tensor in model.graph.initializer}
    feeds = {value.name: value_of(value) for value in model.graph.input if value.name not in weights}
    names = [name for node in model.graph.node for name in node.output if name]
    del model.graph.output[:]
    del model.graph.value_info[:]
    for name in names:
        model.graph.output.add().name = name
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    values = dict(zip((output.name for output in session.get_outputs()), session.run(None, feeds)))
    texts = {name: f"{NAMES.get(str(value.dtype), value.dtype)}[{','.join(map(str, value.shape))}]"
             for name, value in values.items() if isinstance(value, numpy.ndarray)}
    return model.graph.node, texts


def compare(program, path):
    layers, count = inferred(program, path)
    if layers is None:
        return f"{path}: {count}", 1
    nodes, truth = computed(path)
    found = collections.Counter()
    lines = []
    for node in nodes:
        text = layers.get(node.name or node.output[0])
        texts = text.split(";") if text else [""] * len(node.output)
        for name, mine in zip(node.output, texts):
            if name not in truth:
                continue
            kind = "same" if mine == truth[name] else "unknown" if mine == "" else "wrong"
            found[kind] += 1
            if kind == "wrong":
                lines.append(f"\n  {node.op_type} {name}: {mine}, in truth {truth[name]}")
    return (f"{path.rsplit('/', 1)[-1]}: {found['same']} same, {found['wrong']} wrong, {found['unknown']} unknown of "
            f"{len(truth)} values; {count} layers{''.join(lines)}", found["wrong"])


def main():
    wrong = 0
    for path in sys.argv[2:]:
        try:
            line, faults = compare(sys.argv[1], path)
        except Exception as failure:  # ONNX Runtime's word on a model that it does not run
            line, faults = f"{path}: {str(failure).splitlines()[0][:200]}", 0
        print(line, flush=True)
        wrong += faults
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
