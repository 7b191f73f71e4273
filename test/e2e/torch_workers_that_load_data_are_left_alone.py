"""A spawned worker that runs operators but no model has none of them recorded; one that calls a model has, from there on."""
from support.trace_reader import OPERATOR, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
bare = run(python, PROGRAMS / "torch_workers_load_data.py")
done = xsp_run(python, PROGRAMS / "torch_workers_load_data.py").check_success()
check_equal(done.stdout, bare.stdout, "the program's results")
loader, caller = (int(line) for line in done.stderr.splitlines()[:2])
operators = done.trace.of_kind(OPERATOR)
check_equal([s.name for s in operators if s.pid == loader], [], "operators of the worker that loads data")
models = [s for s in done.trace.of_kind(TORCH_ROOT) if s.pid == caller]
check_equal(len(models), 2, "model calls of the other worker")
check(any(s.name == "aten::add" for s in operators if s.pid == caller), "operators behind its first model call")
