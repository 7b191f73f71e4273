"""Once torch._dynamo is imported, which making an optimizer does, tracebacks and stacks have the frames that they have without XSP,
Dynamo's guards are as many, and calls are recorded as before: by their object, by name, through super(). From CPython 3.12 on;
before, global hooks take over, whose frames are seen.
"""
from pathlib import Path

from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import check_equal, run, skip, torch_python, work_folder, xsp_run

PROGRAM = """
import traceback
import torch
import torch._dynamo
from torch import nn

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.product = nn.Linear(2, 2)
    def __call__(self, x):
        return super().__call__(x)
    def forward(self, x):
        return self.product(x)

model, x = Inner().eval(), torch.ones(1, 2)
try:
    model(torch.ones(1, 3))
except RuntimeError as error:
    print([(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)])
handle = model.product.register_forward_hook(lambda *given: print([frame.name for frame in traceback.extract_stack()]))
model(x)
handle.remove()
torch._dynamo.reset()
plain = nn.Sequential(nn.Linear(2, 2), nn.ReLU()).eval()
compiled = torch.compile(plain, backend="eager")
print([compiled(torch.ones(n, 2)).shape for n in (1, 2, 3)])
explain = getattr(torch._dynamo, "explain")(plain)(x)
print(explain.graph_count, explain.graph_break_count, len(explain.out_guards or ()))
for _ in range(5):
    model(x), model.__call__(x), nn.Module.__call__(model, x)
"""

python = torch_python()
version = run(python, "-c", "import sys; print(*sys.version_info[:2])").stdout.decode().split()
if tuple(map(int, version)) < (3, 12):
    skip(f"Python {'.'.join(version)}: global hooks stand in for Module.__call__ before 3.12")
work_folder()
Path("program.py").write_text(PROGRAM)
plain = run(python, "program.py")
check_equal(plain.returncode, 0, f"without xsp-run: {plain.stderr.decode()}")
done = xsp_run(python, "program.py", options=["-q"]).check_success()
check_equal(done.stdout.decode(), plain.stdout.decode(), "what the program saw")

roots = [span for span in done.trace.of_kind(TORCH_ROOT) if span.type == "Inner"]
check_equal([root.failed for root in roots], [True] + [False] * 16, "models, and which failed")
inside = [span for span in done.trace.of_kind(TORCH_MODULE) if span.parent in {root.id for root in roots}]
check_equal(len(inside), 17, "layers inside them")
