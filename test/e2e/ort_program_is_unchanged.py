"""A profiled ONNX Runtime program prints the same bytes and its results are bit-equal; stderr is the same."""
from support.xsp_e2e import PROGRAMS, branching_onnx, check_equal, ort_python, run, work_folder, xsp_run

python = ort_python()
model = branching_onnx(python)
work_folder()
plain = run(python, PROGRAMS / "ort_infer.py", model, 10)
profiled = xsp_run(python, PROGRAMS / "ort_infer.py", model, 10, options=["-q"])
check_equal(profiled.returncode, plain.returncode, "exit status")
check_equal(profiled.stdout, plain.stdout, "stdout")
check_equal(profiled.stderr, plain.stderr.decode(), "stderr")
