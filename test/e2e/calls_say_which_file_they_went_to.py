"""The trace and C2 say which file the calls into a library went to: the file itself, where the program opened it by links,
by a relative path, or is a child of the one that did.
"""
import os
from pathlib import Path

from support.named_blas import PROGRAM, multiply, named_blas, row_of
from support.xsp_e2e import check_equal, work_folder, xsp_run

folder = work_folder()
library = named_blas("a/blas/libblas.so.3.11.0")
Path("b").mkdir()
os.symlink("../a/blas", "b/folder")
os.symlink("folder/libblas.so.3.11.0", "b/libblas.so.3")
real = os.path.realpath(library)

for opened in (library, folder / "b/libblas.so.3", "b/libblas.so.3", "./b/../b/folder/libblas.so.3.11.0"):
    done = multiply(opened, 50, 10)
    check_equal([used[1:] for used in done.trace.used_libraries], [("blas", real)], f"{opened}: file in the trace")
    row = row_of(done, "sgemm_")
    check_equal(row["file"], real, f"{opened}: file in C2")
    check_equal(round(row["gflops"], 9), 10 * 2 * 50**3 / 1e9, f"{opened}: work")
    check_equal(round(row["gflop_per_s"], 6), round(row["gflops"] / row["host_ms"] * 1e3, 6), f"{opened}: speed")

# Without calls of that level nothing is said of them.
done = xsp_run(PROGRAM, library, 50, 10, options=("--level", "model")).check_success()
if done.path.exists():
    check_equal(done.trace.used_libraries, [], "files of calls that are not recorded")

# Each process that calls says it, whoever found the function first.
forking = Path("forks.py")
forking.write_text(f"""
import ctypes, os
product = ctypes.CDLL({str(library)!r}).sgemm_
size, one = ctypes.c_int(4), ctypes.c_float(1)
values = (ctypes.c_float * 16)()
def multiply():
    product(b"N", b"N", *[ctypes.byref(size)] * 3, ctypes.byref(one), values, ctypes.byref(size), values,
            ctypes.byref(size), ctypes.byref(one), values, ctypes.byref(size))
multiply()
for leave in (os._exit, lambda _: os.kill(os.getpid(), 9), lambda _: os.execv("/bin/true", ["true"])):
    child = os.fork()
    if child == 0:
        multiply()
        leave(0)
    os.waitpid(child, 0)
""")
done = xsp_run("/usr/bin/python3", forking).check_success()
calls = {span.pid for span in done.trace.spans if span.name == "sgemm_"}
check_equal(len(calls), 4, "processes that called")
check_equal(sorted(done.trace.used_libraries), sorted((pid, "blas", real) for pid in calls), "files of each process")
