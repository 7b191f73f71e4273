"""--level model: model spans only. --level kernel records layers too."""
from trace_reader import TORCH_MODULE, TORCH_ROOT
from xsp_e2e import PROGRAMS, check_equal, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "torch_small.py"
trace = xsp_run(python, program, options=["--level", "model"]).check_success().trace
check_equal((len(trace.of_kind(TORCH_ROOT)), len(trace.of_kind(TORCH_MODULE))), (10, 0), "spans with --level model")
trace = xsp_run(python, program, options=["--level", "kernel"]).check_success().trace
check_equal((len(trace.of_kind(TORCH_ROOT)), len(trace.of_kind(TORCH_MODULE))), (10, 30), "spans with --level kernel")
