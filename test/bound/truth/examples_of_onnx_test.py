#!/usr/bin/env python3
"""Shapes and types of xsp-bound's layers against the examples of ONNX's specification, which come with the package onnx:
each is a model with its inputs and expected outputs.

examples_of_onnx_test.py XSP_BOUND PYTHON, where PYTHON has onnx; skipped where there is none.
"""
import json
import os
import subprocess
import sys
import tempfile

EXAMPLES = r"""
import json, sys, warnings
warnings.filterwarnings("ignore")
import numpy as np, onnx
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests
names = {"float32": "f32", "float64": "f64", "float16": "f16", "bool": "bool"}
names.update({f"{a}int{n}": f"{'u' if a else 'i'}{n}" for a in ("", "u") for n in (8, 16, 32, 64)})
written = []
for number, case in enumerate(load_model_tests(kind="node")):
    if case.model is None or not case.data_sets:
        continue
    inputs, outputs = case.data_sets[0]
    tensors = [np.asarray(value) for value in (*inputs, *outputs) if isinstance(value, (np.ndarray, np.generic))]
    if len(tensors) != len(inputs) + len(outputs) or any(str(tensor.dtype) not in names for tensor in tensors):
        continue  # sequences and optionals, and types that NumPy lacks
    # Inputs become weights, so that operators see the lists that they read.
    model = onnx.ModelProto.FromString(case.model.SerializeToString())
    for value, tensor in zip(model.graph.input, tensors):
        model.graph.initializer.append(numpy_helper.from_array(tensor, value.name))
    path = f"{sys.argv[1]}/{number}.onnx"
    onnx.save(model, path)
    texts = [f"{names[str(t.dtype)]}[{','.join(map(str, t.shape))}]" for t in tensors[len(inputs):]]
    written.append({"name": case.name, "model": path, "outputs": dict(zip((o.name for o in model.graph.output), texts)),
                    "nodes": [list(node.output) for node in model.graph.node], "functions": len(model.functions)})
print(json.dumps(written))
"""
KNOWN_SHARE = 0.95  # of the outputs; the rest depends on data, or is of training
AT_ONCE = 100


def layers_of(program, examples, folder):
    """The layers of each model, by model; of a model that is refused nothing."""
    done = subprocess.run([program, *(e["model"] for e in examples), "--no-run", "--database", folder + "/none.sqlite",
                           "-a", "B1", "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        if len(examples) == 1:
            return [(done.stderr.splitlines() or ["?"])[0]]
        half = len(examples) // 2
        return layers_of(program, examples[:half], folder) + layers_of(program, examples[half:], folder)
    report = json.loads(done.stdout)
    columns = [column["name"] for column in report["B1"]["columns"]]
    rows = [dict(zip(columns, row)) for row in report["B1"]["rows"]]
    found = []
    for model in report["xsp"]["models"]:
        found.append(rows[:model["layers"]])
        rows = rows[model["layers"]:]
    return found


def main():
    program, python = sys.argv[1:3]
    if not os.path.exists(python) or subprocess.run([python, "-c", "import onnx"], capture_output=True, check=False).returncode:
        print("skipped: no Python with the package onnx")
        sys.exit(77)
    same, unknown, refused, wrong = 0, 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([python, "-c", EXAMPLES, folder], capture_output=True, text=True, check=True)
        examples = json.loads(made.stdout)
        for begin in range(0, len(examples), AT_ONCE):
            some = examples[begin:begin + AT_ONCE]
            for example, layers in zip(some, layers_of(program, some, folder)):
                if isinstance(layers, str):
                    refused.append(f"{example['name']}: {layers}")
                    continue
                if len(layers) != len(example["nodes"]) or example["functions"]:
                    continue  # in an order or with nodes of ours
                for layer, names in zip(layers, example["nodes"]):
                    texts = (layer["outputs"] or "").split(";") if layer["outputs"] else [""] * len(names)
                    for name, text in zip(names, texts):
                        expected = example["outputs"].get(name)
                        if expected is None:
                            continue
                        same += text == expected
                        unknown += text == ""
                        if text not in ("", expected):
                            wrong.append(f"{example['name']}: {layer['type']} gives {text}, expected {expected}")
    print(f"{same} outputs as expected, {len(wrong)} wrong, {unknown} unknown; {len(refused)} of {len(examples)} models refused")
    for line in wrong + refused[:40]:
        print(" ", line)
    if wrong or same < 1500 or same < KNOWN_SHARE * (same + unknown):
        sys.exit(1)


if __name__ == "__main__":
    main()
