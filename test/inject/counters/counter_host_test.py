"""NVIDIA's own profiler host, of every libcupti that is found and answers without a driver, as inject/cupti uses it:
counter_host_test.py PROGRAM SOURCE_DIR BUILD_DIR
"""
import glob
import os
import subprocess
import sys
from pathlib import Path

PROGRAM, SOURCE, BUILD = sys.argv[1:]
PACKAGES = os.path.join(BUILD, "python/*/lib/python*/site-packages")
PATTERNS = ["/usr/local/cuda*/lib*/libcupti.so.1?", "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1?",
            f"{PACKAGES}/nvidia/*/lib/libcupti.so.1?", f"{PACKAGES}/triton/backends/nvidia/lib/cupti*/libcupti.so.1?"]

# Those of CUDA 13.2 crash or refuse where there is no driver.
PROBE = [sys.executable, "-B", f"{SOURCE}/scripts/metric_sets", "--check"]

libraries = {Path(found).resolve(): found for pattern in PATTERNS for found in sorted(glob.glob(pattern))}
asked, failed = 0, 0
for library in libraries.values():
    if subprocess.run([*PROBE, library], capture_output=True).returncode not in (0, 1):
        print(f"{library}: does not answer here")
        continue
    done = subprocess.run([PROGRAM], env={**os.environ, "REAL_CUPTI": library}, capture_output=True, text=True)
    if "RTLD_DEEPBIND flag which is incompatible with sanitizer runtime" in done.stderr:
        print(f"{library}: opens its host in a way that sanitizers refuse")
        continue
    asked += 1
    print(f"{library}: {'as expected' if done.returncode == 0 else done.stdout + done.stderr}")
    failed += done.returncode != 0
if asked == 0:
    print("skipped: no libcupti here whose profiler host answers")
sys.exit(77 if asked == 0 else int(failed != 0))
