"""Two programs on one running xsp-collector end up in one trace, as two processes with all of their spans."""
import signal
import subprocess

from support.trace_reader import TORCH_ROOT, read_trace
from support.xsp_e2e import (PROGRAMS, XSP_COLLECTOR, XSP_RUN, check, check_equal, clean_environment, torch_python,
                     wait_for_listener, work_folder)

python = torch_python()
folder = work_folder()
collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "socket", "-o", folder / "both.pb"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_environment())
wait_for_listener(folder / "socket")
programs = [subprocess.Popen([XSP_RUN, "--collector", folder / "socket", "--", python, PROGRAMS / "torch_small.py", calls],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
            for calls in ("20", "30")]
for program in programs:
    _, stderr = program.communicate(timeout=60)
    check_equal(program.returncode, 0, f"exit status; stderr: {stderr.decode()}")
collector.send_signal(signal.SIGTERM)
output, _ = collector.communicate(timeout=60)
check_equal(collector.returncode, 0, f"xsp-collector: {output.decode()}")
trace = read_trace("both.pb")
counts = sorted(sum(s.kind == TORCH_ROOT for s in p.spans) for p in trace.processes.values() if p.spans)
check_equal(counts, [20, 30], "model spans per process")
check(trace.complete, "the trace is complete")
