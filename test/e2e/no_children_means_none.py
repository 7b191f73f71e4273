"""By default programs started by the command are profiled too; with --no-children they are left alone."""
from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check_equal, torch_python, work_folder, xsp_run

PARENT = """
import subprocess, sys, torch
from torch import nn
torch.set_num_threads(1)
nn.Sequential(nn.Linear(2, 2)).eval()(torch.ones(1, 2))
sys.exit(subprocess.run([sys.executable, sys.argv[1], "4"]).returncode)
"""

python = torch_python()
work_folder()
child = PROGRAMS / "torch_small.py"
both = xsp_run(python, "-c", PARENT, child).check_success().trace
check_equal(sorted(sum(s.kind == TORCH_ROOT for s in p.spans) for p in both.processes.values()), [1, 4], "with children")
alone = xsp_run(python, "-c", PARENT, child, options=["--no-children"]).check_success().trace
check_equal([sum(s.kind == TORCH_ROOT for s in p.spans) for p in alone.processes.values()], [1], "without children")
