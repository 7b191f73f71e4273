"""A signal sent to xsp-run reaches the command once; the trace is finished all the same."""
import signal
import time

from support.xsp_e2e import SYSTEM_PYTHON, check, check_equal, start_xsp_run, wait_until, work_folder

PROGRAM = """
import signal, sys, time
from pathlib import Path
counts = {}
def handler(number, frame):
    counts[number] = counts.get(number, 0) + 1
    if number == signal.SIGTERM:
        print(sorted(counts.items())); sys.exit(11)
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, handler)
Path("ready").touch()
while True: time.sleep(0.01)
"""

folder = work_folder()
process = start_xsp_run(SYSTEM_PYTHON, "-c", PROGRAM)
wait_until((folder / "ready").exists, "the program is ready")
numbers = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM]
for number in numbers:
    process.send_signal(number)
    time.sleep(0.1)
stdout, stderr = process.communicate(timeout=60)
check_equal(process.returncode, 11, f"exit status; stderr: {stderr.decode()}")
check_equal(stdout.decode(), f"{sorted((int(n), 1) for n in numbers)}\n", "signals that arrived")
check((folder / "trace.pb").exists(), "the trace is finished")

process = start_xsp_run("sleep", 60)
wait_until(lambda: (folder / "trace.pb.partial").exists(), "the collector has begun")
time.sleep(0.2)
process.send_signal(signal.SIGTERM)
process.communicate(timeout=60)
check_equal(process.returncode, -signal.SIGTERM, "a command that dies by the forwarded signal")
