"""Calls operators by themselves, between two annotations, and prints of each its name, input and output shapes."""
import torch
from torch.autograd.profiler import record_function


def text(tensors):
    return ";".join("[" + ",".join(map(str, tensor.shape)) + "]" for tensor in tensors) or "-"


def call(name, function, *inputs):
    outputs = function(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    lines.append((f"aten::{name}", text(tensors), text(outputs)))


torch.set_num_threads(1)
lines = []
x = torch.ones(2, 3, 5)
nine = torch.ones(1, 2, 1, 1, 1, 1, 1, 1, 1)
image, filters, bias = torch.ones(1, 3, 9, 9), torch.ones(4, 3, 2, 2), torch.ones(4)
seven = torch.ones(1, 2, 1, 3, 1, 2, 1)
scalar, empty, integers = torch.tensor(2.0), torch.ones(0, 4), torch.arange(6)
with record_function("begin"):
    pass
call("matmul", torch.matmul, x, torch.Tensor.t(torch.ones(4, 5)))
lines.insert(0, ("aten::ones", "-", "[4,5]"))
lines.insert(1, ("aten::t", "[4,5]", "[5,4]"))
call("conv2d", torch.conv2d, image, filters, bias)
call("conv2d", torch.conv2d, image, filters, None)
call("max", torch.max, x, 1)
call("neg", torch.neg, scalar)
call("neg", torch.neg, empty)
call("neg", torch.neg, integers)
call("neg", torch.neg, seven)
call("squeeze", torch.squeeze, seven)
call("transpose", torch.transpose, x, 0, 2)
call("layer_norm", torch.layer_norm, x, (5,))
for i in range(1, 50):
    lines.append(("aten::ones", "-", f"[{i},2]"))
    call("relu", torch.relu, torch.ones(i, 2))
torch.neg(nine)  # more dimensions than are told
lines.append(("aten::neg", "-", "-"))
with record_function("end"):
    pass
for line in lines:
    print(*line)
