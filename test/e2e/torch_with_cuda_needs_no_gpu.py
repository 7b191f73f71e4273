"""A CUDA build of PyTorch, with or without a device: what it finds, which errors it raises, what it computes and loads, its
stderr and its exit status are those of a run without XSP.
"""
from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, skip, torch_python, work_folder, xsp_run

python = torch_python()
built = run(python, "-c", "import torch; print(torch.version.cuda)").stdout.decode().strip()
if built == "None":
    skip("this PyTorch is built without CUDA")
work_folder()
program = PROGRAMS / "torch_without_gpu.py"
plain = run(python, program)
check_equal(plain.returncode, 3, f"exit status without XSP; stderr: {plain.stderr.decode()}")
done = xsp_run(python, program, options=["-q"])
check_equal(done.stdout.decode(), plain.stdout.decode(), "stdout")
check_equal((done.returncode, done.stderr), (plain.returncode, plain.stderr.decode()), "exit status and stderr")
check_equal(len(done.trace.of_kind(TORCH_ROOT)), 1, "model calls")
check(done.trace.complete, "the trace is complete")
