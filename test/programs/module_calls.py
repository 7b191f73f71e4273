"""module_calls.py OUT PROGRAM [ARG…]: runs a torch program and writes what its module calls truly are, seen through
PyTorch's own forward hooks: per outermost call the calls inside that contain no other, in order.
"""
import json
import runpy
import sys

import torch
from torch.nn.modules import module as hooks

evaluations = []
stack = []
names = {}


def shape_text(output):
    if isinstance(output, torch.Tensor):
        return "[" + ",".join(map(str, output.shape)) + "]"
    if isinstance(output, (tuple, list)):
        return ";".join(text for text in map(shape_text, output) if text)
    return ""


def before(module, inputs):
    if not stack:
        names.clear()
        names.update({id(m): name for name, m in module.named_modules()})
        evaluations.append({"type": type(module).__name__, "layers": []})
    else:
        stack[-1]["leaf"] = False
    stack.append({"leaf": True})


def after(module, inputs, output):
    if stack.pop()["leaf"] and stack:
        evaluations[-1]["layers"].append([names[id(module)], type(module).__name__, shape_text(output)])


hooks.register_module_forward_pre_hook(before)
hooks.register_module_forward_hook(after)
out, sys.argv = sys.argv[1], sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
with open(out, "w") as file:
    json.dump(evaluations, file)
