"""A model of torch_models.py in a type: written as ONNX, or some steps of it. Of float32, tf32 says that products may round
their operands to it.
"""
import argparse
import importlib
import json

import torch
from torch_models import make

TYPES = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
# Where the exporter of TorchScript looks for functions of onnxscript, for which it wants the package onnx. There are none.
EXPORTER_MODULES = ("torch.onnx._internal.torchscript_exporter.onnx_proto_utils", "torch.onnx._internal.onnx_proto_utils")

parser = argparse.ArgumentParser()
parser.add_argument("--model", choices=["resnet50", "transformer"], required=True)
parser.add_argument("--dtype", choices=TYPES, required=True)
parser.add_argument("--device", default="cuda")
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--onnx", help="write it there, and run nothing")
parser.add_argument("--warmup", type=int, default=5)
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--result", help="a JSON file with the time of each step by events of the stream")
arguments = parser.parse_args()
cuda = arguments.device == "cuda"


def export(model, x):
    for name in EXPORTER_MODULES:
        try:
            importlib.import_module(name)._add_onnxscript_fn = lambda model_bytes, custom_opsets: model_bytes
        except ImportError:
            continue
    newer = tuple(map(int, torch.__version__.split("+")[0].split(".")[:2])) >= (2, 5)
    torch.onnx.export(model, (x,), arguments.onnx, opset_version=17, do_constant_folding=False, input_names=["x"],
                      output_names=["y"], **({"dynamo": False} if newer else {}))


def step_ms(model, x):
    """Nothing on a processor."""
    if not cuda:
        model(x)
        return None
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    model(x)
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def main():
    reduced = arguments.dtype == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = reduced
    torch.backends.cudnn.allow_tf32 = reduced
    torch.backends.cudnn.benchmark = True  # the fastest algorithms that PyTorch finds
    model, x = make(arguments.model, arguments.device, arguments.batch)
    dtype = TYPES[arguments.dtype]
    model, x = model.to(dtype), x.to(dtype)
    with torch.no_grad():
        if arguments.onnx:
            export(model, x)
            return
        for _ in range(arguments.warmup):
            model(x)
        times = [step_ms(model, x) for _ in range(arguments.steps)]
    if arguments.result:
        with open(arguments.result, "w") as file:
            json.dump({"event_ms": [time for time in times if time is not None]}, file)


main()
