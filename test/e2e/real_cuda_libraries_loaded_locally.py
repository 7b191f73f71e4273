"""A C program that opens NVIDIA's cuBLAS, cuBLASLt and cuDNN with RTLD_LOCAL and looks the functions up: it gets the same
statuses as without XSP, and every call is recorded with its arguments.
"""
from support.cuda_calls import check_calls, compiled, installations
from support.xsp_e2e import run, work_folder, xsp_run

work_folder()
program = compiled("-DLOADED")
for libraries in installations():
    check_calls(run(program, *libraries), xsp_run(program, *libraries))
