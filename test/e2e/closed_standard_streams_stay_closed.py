"""A program started with its standard streams closed finds them closed: no descriptor of ours takes their numbers."""
import os

from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import XSP_RUN, check_equal, clean_environment, torch_python, work_folder
from support.trace_reader import read_trace

PROGRAM = """
import os, torch
model = torch.nn.Sequential(torch.nn.Linear(2, 2))
model(torch.ones(1, 2))
def is_open(number):
    try:
        os.fstat(number)
        return True
    except OSError:
        return False
answers = [is_open(0), is_open(1), is_open(2)]
model(torch.ones(1, 2))
with open("answers", "w") as file:
    file.write(repr(answers))
"""

python = torch_python()
folder = work_folder()
child = os.fork()
if child == 0:
    for number in (0, 1, 2):
        os.close(number)
    os.execve(XSP_RUN, ["xsp-run", "-f", "-o", "trace.pb", "--", str(python), "-c", PROGRAM], clean_environment())
check_equal(os.waitpid(child, 0)[1], 0, "status")
check_equal((folder / "answers").read_text(), "[False, False, False]", "standard streams that are open")
check_equal(len(read_trace(folder / "trace.pb").of_kind(TORCH_ROOT)), 2, "model spans")
