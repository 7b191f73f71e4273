"""What inject/ranges says of NVTX and ITT is what the vendors' headers say, where they are: headers_test.py SOURCE_DIR
BUILD_DIR COMPILER...
"""
import glob
import os
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD, *COMPILER = sys.argv[1:]
PACKAGES = os.path.join(BUILD, "python/*/lib/python*/site-packages")
CHECKS = {
    "nvtx_headers_check.cc": ("nvtx3/nvToolsExt.h", ["/usr/local/cuda/include", f"{PACKAGES}/nvidia/cu*/include",
                                                     f"{PACKAGES}/nvidia/nvtx/include"]),
    "itt_headers_check.cc": ("ittnotify.h", ["/usr/include", f"{PACKAGES}/torch/include"]),
}

checked = failed = 0
for file, (header, patterns) in CHECKS.items():
    for folder in sorted(found for pattern in patterns for found in glob.glob(pattern)):
        if not Path(folder, header).exists():
            continue
        command = [*COMPILER, "-std=c++20", "-fsyntax-only", f"-I{SOURCE}", "-isystem", folder,
                   f"{SOURCE}/test/inject/ranges/{file}"]
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"{folder}/{header}: {'agrees' if done.returncode == 0 else done.stderr}")
        checked += 1
        failed += done.returncode != 0
if not checked:
    print("skipped: no headers of NVTX or ITT here")
sys.exit(77 if not checked else int(failed != 0))
