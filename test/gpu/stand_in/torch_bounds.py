"""In the place of programs/torch_bounds.py: a model of one product as ONNX, and for its steps the inference loop of
test/fake_cuda.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bound/support"))
import onnx_bytes  # noqa: E402

ELEMENTS = {"f32": 1, "tf32": 1, "f16": 10, "bf16": 16}  # of TensorProto.DataType


def value_of(option):
    return sys.argv[sys.argv.index(option) + 1]


if "--onnx" in sys.argv:
    element = ELEMENTS[value_of("--dtype")]
    nodes = [onnx_bytes.node("MatMul", ["x", "w"], ["y"], "product")]
    inputs = [onnx_bytes.value("x", [16, 16], element), onnx_bytes.value("w", [16, 16], element)]
    with open(value_of("--onnx"), "wb") as file:
        file.write(onnx_bytes.model(nodes, inputs, [onnx_bytes.value("y", [16, 16], element)]))
else:
    with open(value_of("--result"), "w") as file:
        json.dump({"event_ms": []}, file)
    inference = os.path.join(os.environ["FAKE_CUDA"], "inference")
    environment = {name: text for name, text in os.environ.items() if name != "FAKE_CUDA_KERNELS"}
    steps = int(value_of("--warmup")) + int(value_of("--steps"))
    subprocess.run([inference, str(steps)], check=True, stdout=subprocess.DEVNULL, env=environment)
