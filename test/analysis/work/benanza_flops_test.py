"""The flops of the layers of ResNet-50 and SqueezeNet are those that Benanza's authors printed, layer by layer:
benanza_flops_test.py OPERATOR_WORK_LINES SOURCE_ROOT. Skipped where their files are not at hand.
"""
import csv
import json
import os
import subprocess
import sys

LINES, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
FOLDER = os.path.join(os.environ.get("XSP_SHARED_DATA", ROOT + "/../shared/data"), "benanza")
# Their names of ONNX's operators. Of the others they count comparisons, which are no flops here.
OPERATORS = {"Conv": "Conv", "BatchNorm": "BatchNormalization"}

if not os.path.isdir(FOLDER):
    print(f"skipped: no {FOLDER}")
    sys.exit(77)


def text(shapes):
    return ";".join(f"f32{json.dumps(shape, separators=(',', ':'))}" for shape in shapes)


def flops_of(layers):
    calls = []
    for layer in layers:
        shapes = layer["input_dimensions"]
        # They have the bias of a convolution in a row of its own.
        inputs = shapes["input_shapes"][:2] if layer["type"] == "Conv" else shapes["input_shapes"]
        calls.append("\t".join((OPERATORS[layer["type"]], text(inputs), text(shapes["output_shapes"][:1]))))
    done = subprocess.run([LINES], input="\n".join(calls) + "\n", capture_output=True, text=True, check=True)
    return [float(line.split("\t")[0]) for line in done.stdout.splitlines()]


failures = []
for model, multiply_adds in (("ResNet050-v1", 3855.9e6), ("Squeezenet-v1.1", 349.15e6)):
    with open(f"{FOLDER}/layer_stats_{model}.json") as file:
        layers = [layer for layer in json.load(file) if layer["type"] in OPERATORS]
    found = dict(zip((layer["name"] for layer in layers), flops_of(layers)))
    total = sum(found[layer["name"]] for layer in layers if layer["type"] == "Conv") / 2
    if abs(total / multiply_adds - 1) > 2e-5:
        failures.append(f"{model}: {total} multiply-adds of convolutions, not {multiply_adds}")
    compared = 0
    with open(f"{FOLDER}/serial_latency_v100_b1_{model}.csv") as file:
        for row in csv.DictReader(file):
            name = row["LayerName"]
            if name not in found or not row["Theoretical Flops"]:
                continue
            compared += 1
            if found[name] != float(row["Theoretical Flops"]):
                failures.append(f"{model}, {name}: {found[name]:.0f} flops, not {row['Theoretical Flops']}")
    if compared < 20:
        failures.append(f"{model}: only {compared} layers compared")
    print(f"{model}: {compared} layers compared, {total / 1e6:.3f} M multiply-adds in convolutions")
sys.exit("\n".join(failures) if failures else 0)
