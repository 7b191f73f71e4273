"""What inject/cupti and inject/counters say of CUPTI is what the vendor's headers say, where they are: headers_test.py SOURCE_DIR
BUILD_DIR COMPILER...
"""
import glob
import os
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD, *COMPILER = sys.argv[1:]
PACKAGES = os.path.join(BUILD, "python/*/lib/python*/site-packages")
FOLDERS = ["/usr/local/cuda*/include", "/usr/local/cuda*/extras/CUPTI/include", f"{PACKAGES}/nvidia/cu*/include",
           f"{PACKAGES}/nvidia/cuda_cupti/include", f"{PACKAGES}/triton/backends/nvidia/include"]

found = {}
for folder in sorted(folder for pattern in FOLDERS for folder in glob.glob(pattern)):
    if Path(folder, "cupti.h").exists():
        found.setdefault(Path(folder).resolve(), folder)

failed = 0
for folder in found.values():
    # Before CUDA 12.6 there is no Range Profiler API.
    has_ranges = Path(folder, "cupti_range_profiler.h").exists()
    for check in ("cupti/library/headers_check.cc", *(["counters/range_headers_check.cc"] if has_ranges else [])):
        # What CUPTI's headers include of the driver's may lie in another package.
        command = [*COMPILER, "-std=c++20", "-fsyntax-only", f"-I{SOURCE}", "-isystem", folder]
        for other in found.values():
            command += ["-idirafter", other]
        command.append(f"{SOURCE}/test/inject/{check}")
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"{folder}/cupti.h, {check}: {'agrees' if done.returncode == 0 else done.stderr}")
        failed += done.returncode != 0
if not found:
    print("skipped: no headers of CUPTI here")
sys.exit(77 if not found else int(failed != 0))
