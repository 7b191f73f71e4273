"""A loop that runs for long and is killed: what it had finished, but for the last moments, is in the trace."""
import os
import signal
import time

from support.fake_cuda import DeviceRun, fake, read_truth, start_on_device
from support.xsp_e2e import Profiled, check, check_equal, children_named, wait_until, work_folder

work_folder()
xsp = start_on_device(fake("inference"), 10, "forever")
wait_until(lambda: len(read_truth()) > 2000, "two thousand executions")
(pid,) = wait_until(lambda: children_named(xsp.pid, "inference"), "the program")
seen = len(read_truth())
time.sleep(1.5)
os.kill(pid, signal.SIGKILL)
stdout, stderr = xsp.communicate(timeout=60)
xsp.stdout, xsp.stderr = stdout, stderr


class Done:
    returncode, stdout, stderr = xsp.returncode, stdout, stderr


outcome = DeviceRun(Profiled(Done, "trace.pb"), read_truth())
check_equal(outcome.done.returncode, -signal.SIGKILL, "exit status")
kept = {(e.kind, e.correlation, e.begin) for e in outcome.trace.executions}
check(len(kept) >= seen, f"{len(kept)} executions are in the trace; {seen} had finished 1.5 s before the kill")
