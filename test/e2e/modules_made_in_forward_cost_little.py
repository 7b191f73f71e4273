"""Modules that a forward makes and drops are layers, named after the module that made them, and cost no more than others:
once, each of them had all names of the model read again, and the program ran several hundred times slower.
"""
from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "makes_modules_in_forward.py"
plain = int(run(python, program).stdout)
done = xsp_run(python, program).check_success()
profiled = int(done.stdout)
check(profiled < 8 * plain, f"a call takes {profiled / plain:.1f} times as long under xsp-run")
trace = done.trace
first = trace.of_kind(TORCH_ROOT)[0]
layers = [s for s in trace.of_kind(TORCH_MODULE) if first.begin <= s.begin < first.end]
expected = []
for block in range(40):
    for i in range(10):
        expected += [f"{block}.projections.{i}", f"{block}.(Softmax)"]
check_equal([layer.name for layer in layers], expected, "names of the layers")
