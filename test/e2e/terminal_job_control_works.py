"""On a terminal: ^C reaches the program once and xsp-run waits for it; ^Z stops both and a continue lets both go on; a
closed terminal still leaves a finished trace.
"""
import os
import pty
import signal
import time

from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, clean_environment, skip, wait_until, work_folder

PROGRAM = """
import signal, sys, time
from pathlib import Path
def on_interrupt(number, frame):
    with open("interrupts", "a") as file: file.write("x")
signal.signal(signal.SIGINT, on_interrupt)
Path("ready").touch()
while not Path("finish").exists():
    time.sleep(0.01)
    Path("alive").touch()
sys.exit(4)
"""

folder = work_folder()


def start(name):
    try:
        pid, terminal = pty.fork()
    except OSError as error:
        skip(f"no pseudo-terminal here ({error})")
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored where the tests run under nohup
        os.execve(XSP_RUN, ["xsp-run", "-o", name, "--", SYSTEM_PYTHON, "-c", PROGRAM], clean_environment())
    wait_until((folder / "ready").exists, "the program is ready")
    return pid, terminal


def ticks():
    return (folder / "alive").stat().st_mtime_ns


pid, terminal = start("trace.pb")
os.write(terminal, b"\x03")
wait_until((folder / "interrupts").exists, "^C reaches the program")
time.sleep(0.2)
check_equal((folder / "interrupts").read_text(), "x", "times that ^C reached the program")

# The session leader of a terminal of its own is in an orphaned group, where the kernel ignores ^Z: stop and continue
# the group as a shell's job would be.
os.killpg(pid, signal.SIGSTOP)
stopped, status = os.waitpid(pid, os.WUNTRACED)
check(os.WIFSTOPPED(status), "xsp-run stops with its group")
time.sleep(0.1)
before = ticks()
time.sleep(0.2)
check_equal(ticks(), before, "the program stops too")
os.killpg(pid, signal.SIGCONT)
wait_until(lambda: ticks() > before, "the program goes on")
(folder / "finish").touch()
_, status = os.waitpid(pid, 0)
check_equal(os.waitstatus_to_exitcode(status), 4, "exit status")
check((folder / "trace.pb").exists(), "the trace is finished")
os.close(terminal)

for name in ("ready", "finish"):
    (folder / name).unlink()
pid, terminal = start("hangup.pb")
os.close(terminal)
_, status = os.waitpid(pid, 0)
check(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP, f"dies by the hang-up like its program: {status}")
wait_until((folder / "hangup.pb").exists, "the trace is finished after the hang-up")
