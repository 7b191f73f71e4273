"""A program that is no Python's, where pip alone has installed CUPTI: xsp-run knows the environment that is active, and the guest
finds libcupti there behind all other places.
"""
import glob
import os
from pathlib import Path

from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, run, skip, work_folder, XSP_RUN

if glob.glob("/usr/local/cuda*/**/libcupti.so*", recursive=True):
    skip("the machine has a CUDA toolkit, whose CUPTI comes first")
work_folder()
folder = Path("venv/lib/python3.12/site-packages/nvidia/cu13/lib")
folder.mkdir(parents=True)
os.symlink(fake("cupti/libcupti.so.13"), folder / "libcupti.so.13")
where = {"LD_LIBRARY_PATH": str(fake("driver")), "VIRTUAL_ENV": str(Path("venv").resolve())}
outcome = run_on_device(fake("driver_launches"), **where).check_success().check_executions()
check(outcome.trace.kernels, "no kernels")

where["VIRTUAL_ENV"] = "/nowhere"
outcome = run_on_device(fake("driver_launches"), **where).check_success()
check_equal(outcome.trace.kernels, [], "kernels without CUPTI")
check(any("pip install nvidia-cuda-cupti" in notice for notice in outcome.trace.notices), outcome.trace.notices)

text = run(XSP_RUN, "--check", env=os.environ | {"VIRTUAL_ENV": str(Path("venv").resolve())}).stdout.decode()
check("libcupti.so.13 (of an installed wheel)" in text, text)
