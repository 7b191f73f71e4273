"""A program that imports PyTorch in ways that fail, modules that are called like it, and all of it in a subinterpreter ends
as without XSP; what could not be hooked is told once, and the real PyTorch is recorded when it comes.
"""
from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "torch_imports.py"
plain = run(python, program)
done = xsp_run(python, program).check_success()
check_equal(plain.returncode, 0, f"status of the program itself: {plain.stderr.decode()}")
check_equal(done.stdout, plain.stdout, "stdout")
trace = done.trace
check_equal([s.name for s in trace.of_kind(TORCH_ROOT)], ["Sequential"] * 6, "models")
check_equal([(s.name, s.type) for s in trace.of_kind(TORCH_MODULE)], [("0", "Linear"), ("1", "ReLU")] * 6, "layers")
for reason in ("subinterpreter", "could not be hooked (AttributeError"):
    told = [notice for notice in trace.notices if reason in notice]
    check(told, f"no notice of: {reason}; notices: {trace.notices}")
    check_equal(len(told), len(set(told)), "notices, each once")
