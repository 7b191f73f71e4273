"""The socket of a run lies in a folder of mode 0700 under a name that nobody can foresee, itself 0600, the folder for
profiles 0700; another user reaches neither. At the end nothing of it is left."""
import os
import stat
import subprocess
from pathlib import Path

from support.raw_client import NOBODY, connect, in_child_as
from support.xsp_e2e import XSP_RUN, check, check_equal, clean_environment, work_folder

folder = work_folder()
SHOW = 'echo "$XSP_SOCKET"; echo "$XSP_SCRATCH"; read go'


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def reach(path):
    try:
        connect(path)
    except PermissionError:
        return 1
    return 0


seen = []
for mask in (0o022, 0):
    previous = os.umask(mask)
    run = subprocess.Popen([XSP_RUN, "-f", "-o", "t.pb", "--", "sh", "-c", SHOW], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())  # fmt: skip
    os.umask(previous)
    socket = Path(run.stdout.readline().decode().strip())
    scratch = Path(run.stdout.readline().decode().strip())
    place = socket.parent
    check_equal(mode(place), 0o700, "mode of the folder")
    check_equal(mode(socket), 0o600, "mode of the socket")
    check_equal(mode(scratch), 0o700, "mode of the folder for profiles")
    check_equal((os.stat(place).st_uid, os.stat(socket).st_uid), (os.geteuid(), os.geteuid()), "owners")
    if os.geteuid() == 0:
        check_equal(in_child_as(NOBODY, lambda: reach(socket)), 1, "another user is kept out by the folder")
    run.communicate(b"\n", timeout=60)
    check_equal(run.returncode, 0, "exit status")
    check(not place.exists(), "the folder is gone")
    seen.append(place.name)
    # The trace has names in it: who may read it is the umask's to say, as of any file that a program writes.
    check_equal(mode("t.pb"), 0o666 & ~mask, "mode of the trace")
check(seen[0] != seen[1] and str(run.pid) not in seen[1], f"names that can be foreseen: {seen}")
