"""The table of metrics (inject/counters/metric_table.inc) is as CUPTI's profiler host says: every metric exists on its chip,
and takes no more passes than the table announces, 2 for a roofline whose data type is known. With every libcupti that is
found and answers without a driver: metric_sets_test.py SOURCE_DIR BUILD_DIR
"""
import glob
import os
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD = sys.argv[1:]
PACKAGES = os.path.join(BUILD, "python/*/lib/python*/site-packages")
PATTERNS = ["/usr/local/cuda*/lib*/libcupti.so.1?", "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.1?",
            f"{PACKAGES}/nvidia/*/lib/libcupti.so.1?", f"{PACKAGES}/triton/backends/nvidia/lib/cupti*/libcupti.so.1?"]

libraries = {Path(found).resolve(): found for pattern in PATTERNS for found in sorted(glob.glob(pattern))}
asked, failed = 0, 0
for library in libraries.values():
    # One process each: two files of CUPTI do not get on, and those of CUDA 13.2 crash where there is no driver.
    done = subprocess.run([sys.executable, "-B", f"{SOURCE}/scripts/metric_sets", "--check", library],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode == 77 or done.returncode < 0:
        print(f"{library}: does not answer here")
        continue
    asked += 1
    failed += done.returncode != 0
    print(done.stdout + done.stderr)
if asked == 0:
    print("skipped: no libcupti here whose profiler host answers")
sys.exit(77 if asked == 0 else int(failed != 0))
