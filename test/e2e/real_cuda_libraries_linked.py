"""A C program linked to NVIDIA's cuBLAS, cuBLASLt and cuDNN: it gets the same statuses as without XSP, and every call is
recorded with its arguments.
"""
from support.cuda_calls import check_calls, compiled, toolkit
from support.xsp_e2e import run, work_folder, xsp_run

work_folder()
_, lib = toolkit()
program = compiled(f"-L{lib}", f"-Wl,-rpath,{lib}", "-lcublas", "-lcublasLt", "-lcudnn")
check_calls(run(program), xsp_run(program))
