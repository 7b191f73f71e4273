"""A program's TorchFunctionMode sees the calls of the program and none of ours, torch.set_default_device costs nothing more,
and shapes are in the trace all the same: of tensors that are read without a call. Others have none while a mode is on.
"""
from pathlib import Path

from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import check, check_equal, run, torch_python, work_folder, xsp_run

PROGRAM = """
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

class Seen(TorchFunctionMode):
    names = []
    def __torch_function__(self, function, types, arguments=(), keywords=None):
        self.names.append(getattr(function, "__name__", str(function)))
        return function(*arguments, **(keywords or {}))

class Same(nn.Module):
    def forward(self, x, extra=None):
        return x

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), Same()).eval()
same = Same().eval()
with torch.no_grad():
    with Seen():
        for _ in range(3): model(torch.ones(2, 4))
        # A vector, a scalar, none, a tensor of another class, one with sizes elsewhere, many dimensions.
        for x in (torch.ones(5), torch.tensor(1.0), None, nn.Parameter(torch.ones(3, 2)), torch.ones(2, 3).to_sparse(),
                  torch.ones(1, 2, 1, 2, 1, 2, 3), torch.ones(0, 4), torch.ones(4, 6).t()[1:, ::2]):
            same(x)
    print(Seen.names)
    torch.set_default_device("cpu") if hasattr(torch, "set_default_device") else None
    for _ in range(3): model(torch.ones(2, 4))
    print(same(torch.ones(2, 3).to_sparse()).shape)
"""

python = torch_python()
work_folder()
Path("program.py").write_text(PROGRAM)
plain = run(python, "program.py")
check_equal(plain.returncode, 0, f"without xsp-run: {plain.stderr}")
done = xsp_run(python, "program.py").check_success()
check_equal(done.stdout, plain.stdout, "what the mode saw")

trace = done.trace
models = [span for span in trace.of_kind(TORCH_ROOT) if span.type == "Sequential"]
check_equal([(span.input, span.shape) for span in models], [("[2,4]", "[2,8]")] * 6, "shapes of the model")
linear = [span for span in trace.of_kind(TORCH_MODULE) if span.type == "Linear"]
check_equal([span.shape for span in linear], ["[2,8]"] * 6, "shapes of its layer")
inputs = [span.input for span in trace.of_kind(TORCH_ROOT) if span.type == "Same"][:8]
check_equal(inputs, ["[5]", "[]", "", "[3,2]", "", "[1,2,1,2,1,2,3]", "[0,4]", "[5,2]"], "shapes of all kinds of tensors")
