"""xsp-collector --once ends with the last program, not with a look at its socket, as xsp-run --collector takes first."""
import socket
import subprocess

from support.trace_reader import API, read_trace
from support.xsp_e2e import BUILD, XSP_COLLECTOR, XSP_RUN, check, check_equal, clean_environment, run, skip, wait_until, work_folder

program = BUILD / "test/e2e/api_spans"
if not program.exists():
    skip("the C program on xsp.h is not built")
folder = work_folder()
path = folder / "socket"
collector = subprocess.Popen([XSP_COLLECTOR, "--once", "--socket", path, "-o", folder / "once.pb"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_environment())
wait_until(path.exists, "the collector listens")
for _ in range(3):
    with socket.socket(socket.AF_UNIX) as look:
        look.connect(str(path))
try:
    collector.wait(0.5)
    check(False, "the collector ended before a program came")
except subprocess.TimeoutExpired:
    pass
done = run(XSP_RUN, "--collector", path, "--", program, env=clean_environment())
check_equal(done.returncode, 0, f"xsp-run: {done.stderr.decode()}")
output, _ = collector.communicate(timeout=60)
check_equal(collector.returncode, 0, f"xsp-collector: {output.decode()}")
check_equal(sum(s.kind == API for s in read_trace("once.pb").spans), 40, "spans")
