"""--help, --version and the tables of xsp-run --check onto a full disk (/dev/full): each program says that standard output
cannot be written, and its exit status says so, too. No program takes that for a lack of memory.
"""
import os
import subprocess

from support.xsp_e2e import BUILD, XSP_COLLECTOR, XSP_REPORT, XSP_RUN, check_equal, clean_environment, skip, work_folder

if not os.path.exists("/dev/full"):
    skip("no /dev/full")
BENCH = BUILD / "inject/bench/xsp-bench"
IMPORT = BUILD / "import/xsp-import"

work_folder()
printing = [(125, XSP_RUN, "--check", "--", "true")]
for program, status in ((XSP_RUN, 125), (BENCH, 125), (IMPORT, 5), (XSP_COLLECTOR, 5), (XSP_REPORT, 5)):
    printing += [(status, program, "--help"), (status, program, "--version")]
for status, *command in printing:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([str(word) for word in command], stdout=full, stderr=subprocess.PIPE, env=clean_environment(),
                              timeout=60, check=False)  # fmt: skip
    name = os.path.basename(command[0])
    lines = done.stderr.decode().splitlines()
    check_equal((done.returncode, lines[:1]),
                (status, [f"{name}: error: cannot write standard output (No space left on device)"]), command)
    check_equal([line.split(":")[0] for line in lines[1:]], ["hint"], f"one hint of {command}")
