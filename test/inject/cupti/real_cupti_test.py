"""NVIDIA's own libcupti, every version that is found, read as inject/cupti reads it: real_cupti_test.py PROGRAM BUILD_DIR"""
import glob
import os
import subprocess
import sys
from pathlib import Path

PROGRAM, BUILD = sys.argv[1:]
PACKAGES = os.path.join(BUILD, "python/*/lib/python*/site-packages")
PATTERNS = ["/usr/local/cuda*/lib*/libcupti.so.1?", "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1?",
            f"{BUILD}/cupti/*/libcupti.so.1[1-9]*", f"{PACKAGES}/nvidia/*/lib/libcupti.so.1?",
            f"{PACKAGES}/triton/backends/nvidia/lib/cupti*/libcupti.so.1?"]

libraries = {Path(found).resolve(): found for pattern in PATTERNS for found in sorted(glob.glob(pattern))}
# Without a driver, CUDA 13.2's crashes in whatever is called, and some refuse even this.
PROBE = """
import ctypes, sys
version = ctypes.c_uint32()
sys.exit(ctypes.CDLL(sys.argv[1]).cuptiGetVersion(ctypes.byref(version)) != 0)
"""

failed = 0
for library in libraries.values():
    works = subprocess.run([sys.executable, "-c", PROBE, library], capture_output=True).returncode == 0
    cases = [] if works else ["without a driver the program goes on"]
    done = subprocess.run([PROGRAM, *cases], env={**os.environ, "REAL_CUPTI": library}, capture_output=True, text=True)
    print(f"{library}: {'as expected' + ('' if works else ', no walk') if done.returncode == 0 else done.stdout + done.stderr}")
    failed += done.returncode != 0
if not libraries:
    print("skipped: no libcupti here")
sys.exit(77 if not libraries else int(failed != 0))
