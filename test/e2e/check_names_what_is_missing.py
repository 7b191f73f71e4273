"""xsp-run --check: a table on stdout, exit status 0; with --strict 125 if something needed is missing."""
from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, clean_environment, run, work_folder

work_folder()
done = run(XSP_RUN, "--check", "--strict", "--", SYSTEM_PYTHON)
text = done.stdout.decode()
check_equal(done.returncode, 0, text)
for row in ("guest library", "xsp-collector", "shared memory", "clock", "output folder", "Python", "PyTorch", "analyses",
            "NVIDIA driver", "CUPTI", "CUDA tools"):  # fmt: skip
    check(row in text, f"{row} is looked at:\n{text}")
check("missing " not in text, text)
broken = clean_environment(XSP_LIBRARY="/nowhere/libxsp_inject.so")
check_equal(run(XSP_RUN, "--check", env=broken).returncode, 0, "without --strict")
done = run(XSP_RUN, "--check", "--strict", env=broken)
check_equal(done.returncode, 125, "with --strict")
check("guest library  missing" in done.stdout.decode(), done.stdout.decode())
tool = clean_environment(CUDA_INJECTION64_PATH="/opt/other/tool.so", XSP_CUPTI="/nowhere/libcupti.so")
text = run(XSP_RUN, "--check", env=tool).stdout.decode()
check("/opt/other/tool.so is loaded behind XSP" in text, text)
check("XSP_CUPTI names /nowhere/libcupti.so" in text, text)
