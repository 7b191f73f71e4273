"""No more space (here: a limit on the size of a file): the program ends as ever, the message says what happened, and what
was written before can be read.
"""
import resource
from pathlib import Path

from trace_reader import TORCH_ROOT
from xsp_e2e import PROGRAMS, XSP_REPORT, check, check_equal, run, torch_python, work_folder, xsp_run

LIMIT = 64 * 1024

python = torch_python()
work_folder()
done = xsp_run(python, PROGRAMS / "torch_small.py", 60000,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT)))
check_equal(done.returncode, 0, f"exit status; stderr: {done.stderr}")
check("not complete" in done.stderr or "lost" in done.stderr, f"the message says what happened: {done.stderr}")
left = [p for p in (Path("trace.pb"), Path("trace.pb.partial")) if p.exists()]
check(left, "something is left")
check(left[0].stat().st_size <= LIMIT, "within the limit")
check(len(done.trace.of_kind(TORCH_ROOT)) > 100, "what was written before can be read")
check_equal(run(XSP_REPORT, left[0]).returncode, 0, "xsp-report reads what is left")
