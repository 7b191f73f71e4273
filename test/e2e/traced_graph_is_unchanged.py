"""torch.jit.trace sees the same graph with and without XSP: no hook leaves an operation in it."""
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
plain = run(python, PROGRAMS / "traces_a_model.py")
check(plain.returncode == 0, plain.stderr.decode())
profiled = xsp_run(python, PROGRAMS / "traces_a_model.py").check_success()
check_equal(profiled.stdout.decode(), plain.stdout.decode(), "graph and results")
