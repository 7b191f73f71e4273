"""Without a device the iterations are those of the layers: the runs of a program that infers by ONNX Runtime."""
from support.iteration_tables import check_host_iterations
from support.xsp_e2e import PROGRAMS, branching_onnx, ort_python, work_folder, xsp_run

RUNS = 30

python = ort_python()
work_folder()
done = xsp_run(python, PROGRAMS / "ort_loop.py", branching_onnx(python), RUNS).check_success()
check_host_iterations(done, "layer", least_operations=2)
