"""No more space (here: a limit on the size of the collector's files): the program ends as ever, the message says what
happened, and what was written before can be read. With --strict the success becomes 125.
"""
from pathlib import Path

from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import (PROGRAMS, XSP_COLLECTOR, XSP_REPORT, check, check_equal, clean_environment, run, torch_python,
                     work_folder, xsp_run)

LIMIT_KIB = 256

python = torch_python()
folder = work_folder()
limited = folder / "limited-collector"
limited.write_text(f'#!/bin/bash\nulimit -f {LIMIT_KIB}\nexec "{XSP_COLLECTOR}" "$@"\n')
limited.chmod(0o755)
environment = clean_environment(XSP_COLLECTOR=limited)
for options, status in (([], 0), (["--strict"], 125)):
    done = xsp_run(python, PROGRAMS / "torch_small.py", 60000, env=environment, options=options)
    check_equal(done.returncode, status, f"exit status with {options}; stderr: {done.stderr}")
    check_equal(len(done.stdout.splitlines()), 1, "the program ran to its end")
    check("not complete" in done.stderr, f"the message says what happened: {done.stderr}")
    left = [p for p in (Path("trace.pb"), Path("trace.pb.partial")) if p.exists()]
    check(left, "something is left")
    check(str(left[0]) in done.stderr, f"the message names it: {done.stderr}")
    check(left[0].stat().st_size <= LIMIT_KIB * 1024, "within the limit")
    check(len(done.trace.of_kind(TORCH_ROOT)) > 100, "what was written before can be read")
    check_equal(run(XSP_REPORT, left[0]).returncode, 0, "xsp-report reads what is left")
