"""The collector is killed in the middle: the program runs on undisturbed, its status passes, the message says what happened
and where the rest is, and the rest can be read. With --strict a success becomes 125.
"""
import os
import signal

from support.trace_reader import TORCH_ROOT, read_trace
from support.xsp_e2e import XSP_REPORT, check, check_equal, children_named, run, start_xsp_run, torch_python, wait_until, work_folder

PROGRAM = """
import os, sys, time, torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).eval()
begin = time.monotonic()
with torch.no_grad():
    for _ in range(2000): model(torch.ones(1, 4))
    open("halfway", "w").close()
    while not os.path.exists("go"): time.sleep(0.01)
    for _ in range(50000): model(torch.ones(1, 4))
print("all done")
sys.exit(int(sys.argv[1]))
"""

python = torch_python()
folder = work_folder()
for status, options, expected in ((3, [], 3), (0, ["--strict"], 125)):
    for name in ("halfway", "go", "trace.pb", "trace.pb.partial"):
        (folder / name).unlink(missing_ok=True)
    process = start_xsp_run(python, "-c", PROGRAM, status, options=options)
    wait_until((folder / "halfway").exists, "the program is halfway")
    # Written once a second; on a busy machine later.
    wait_until(lambda: len(read_trace("trace.pb.partial").of_kind(TORCH_ROOT)) > 0, "the collector has written calls")
    for pid in wait_until(lambda: children_named(process.pid, "xsp-collector"), "there is a collector"):
        os.kill(pid, signal.SIGKILL)
    (folder / "go").touch()
    stdout, stderr = process.communicate(timeout=120)
    stderr = stderr.decode()
    check_equal(stdout, b"all done\n", f"the program ran on; stderr: {stderr}")
    check_equal(process.returncode, expected, f"exit status with {options}")
    check("ended early (killed by signal 9)" in stderr, f"the message says what happened: {stderr}")
    check("trace.pb.partial" in stderr, f"the message says what is left: {stderr}")
    check(len(read_trace("trace.pb.partial").of_kind(TORCH_ROOT)) > 0, "what was written can be read")
    check_equal(run(XSP_REPORT, "trace.pb.partial").returncode, 0, "xsp-report reads what is left")
