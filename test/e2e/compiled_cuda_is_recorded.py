"""CUDA C++ as nvcc compiles it: the kernels that its <<<>>> launches have their launch, and their names as written."""
from collections import Counter

from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, skip, work_folder

if not fake("saxpy").exists():
    skip("no nvcc of CUDA 13")
work_folder()
outcome = run_on_device(fake("saxpy")).check_success().check_executions().check_launches()
check_equal(Counter(e.launch.name for e in outcome.trace.kernels), {"__cudaLaunchKernel": 6}, "launches")
rows = outcome.tables("A10", options=["--per", "trace"])["A10"]["rows"]
expected = {("void fill<float>(float*, float, int)", 3), ("saxpy(int, float, float const*, float*)", 3)}
check_equal({(row[0], row[1]) for row in rows}, expected, "names and counts of kernels")
