"""A compiled model compiles as without XSP (results, graphs, no breaks, no warning), and is one layer."""
from support.trace_reader import TORCH_MODULE, TORCH_SCRIPT
from support.xsp_e2e import PROGRAMS, check_equal, run, skip, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
if run(python, "-c", "import torch; torch.compile").returncode != 0:
    skip("this PyTorch has no torch.compile")
program = PROGRAMS / "compiles_a_model.py"
done = xsp_run(python, program).check_success()
plain = run(python, program)
check_equal(plain.returncode, 0, f"status of the program itself: {plain.stderr.decode()}")
check_equal(done.stdout, plain.stdout, "stdout")
# One call to explain, and three of each backend, the first of which compiles.
compiled = done.trace.of_kind(TORCH_SCRIPT)
check_equal([(s.name, s.type, s.shape) for s in compiled], [("Model", "Model", "[3,2]")] * 7, "compiled calls, as layers")
inside = [s.name for s in done.trace.of_kind(TORCH_MODULE) for c in compiled if c.begin <= s.begin < c.end]
check_equal(inside, [], "layers inside them")
