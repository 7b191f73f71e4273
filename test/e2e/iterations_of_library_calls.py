"""Without a device or a framework the iterations are those of the library calls, of a loop around products of NumPy."""
from support.iteration_tables import check_host_iterations
from support.xsp_e2e import PROGRAMS, numpy_python, work_folder, xsp_run

STEPS = 40

python = numpy_python()
work_folder()
done = xsp_run(python, PROGRAMS / "numpy_loop.py", STEPS).check_success()
check_host_iterations(done, "library", least_operations=5)
