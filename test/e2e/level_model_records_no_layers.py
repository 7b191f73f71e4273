"""--level model: model spans only, which say the same as with --level kernel, where layers are recorded too."""
from support.trace_reader import ANNOTATION, OPERATOR, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check_equal, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "torch_small.py"


def says(trace):
    return [(s.name, s.type, s.scope, s.shape, s.input) for s in trace.of_kind(TORCH_ROOT)]


trace = xsp_run(python, program, options=["--level", "model"]).check_success().trace
of_model = says(trace)
check_equal((len(trace.of_kind(TORCH_ROOT)), len(trace.of_kind(TORCH_MODULE))), (10, 0), "spans with --level model")
check_equal(len(trace.of_kind(OPERATOR, ANNOTATION)), 0, "operators with --level model")
trace = xsp_run(python, program, options=["--level", "kernel"]).check_success().trace
check_equal((len(trace.of_kind(TORCH_ROOT)), len(trace.of_kind(TORCH_MODULE))), (10, 30), "spans with --level kernel")
check_equal(of_model, says(trace), "what the model spans say with --level model")
