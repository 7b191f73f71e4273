"""NVIDIA's cuBLAS, cuBLASLt and cuDNN called by ctypes, without a device: the statuses are those of a run without XSP, and
every call is recorded with its arguments, read from the libraries' own descriptors.
"""
from support.cuda_calls import check_calls, installations
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, run, work_folder, xsp_run

work_folder()
for libraries in installations():
    command = [SYSTEM_PYTHON, PROGRAMS / "cuda_calls.py", *libraries]
    check_calls(run(*command), xsp_run(*command))
