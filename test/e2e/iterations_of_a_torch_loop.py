"""Without a device the iterations are those of the layers: the steps of a program that trains by PyTorch."""
from support.iteration_tables import check_host_iterations
from support.xsp_e2e import PROGRAMS, torch_python, work_folder, xsp_run

STEPS = 30

python = torch_python()
work_folder()
done = xsp_run(python, PROGRAMS / "torch_training_loop.py", STEPS).check_success()
# The modules of a step, and its loss.
check_host_iterations(done, "layer", least_operations=6)
