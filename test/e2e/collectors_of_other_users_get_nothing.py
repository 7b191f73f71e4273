"""A socket of another user, at a path that is free again or that was guessed, gets nothing: the guest looks who listens
before it sends, and xsp-run --collector says so. Nor is anything written into a folder that others made for it."""
import os
import signal
import socket
import time

from support.raw_client import NOBODY
from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, clean_environment, run, skip, wait_until, work_folder

if os.geteuid() != 0:
    skip("a second user is needed, and only root can become one")
folder = work_folder()
folder.chmod(0o1777)
path = folder / "socket"
got = folder / "got"


def listen(user):
    """A child that listens as `user` and writes down what arrives."""
    path.unlink(missing_ok=True)
    got.unlink(missing_ok=True)
    child = os.fork()
    if child:
        wait_until(got.exists, "somebody listens")
        return child
    if user:
        os.setgid(user)
        os.setuid(user)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    path.chmod(0o666)
    listener.listen(5)
    with open(got, "wb", buffering=0) as file:
        while True:
            client, _ = listener.accept()
            while data := client.recv(65536):
                file.write(data)


program = BUILD / "test/e2e/api_spans"
guest = clean_environment(LD_PRELOAD=BUILD / "inject/libxsp_inject.so", XSP_SOCKET=path)
# The test shows nothing unless a collector of the own user gets something.
for user, gets in ((0, True), (NOBODY, False)):
    child = listen(user)
    done = run(program, env=guest)
    check_equal((done.returncode, done.stdout), (0, b"10 predictions\n"), "the program runs as ever")
    time.sleep(0.2)
    check_equal(got.stat().st_size > 0, gets, f"the guest sent something to user {user}")
    if user == NOBODY:
        refused = run(XSP_RUN, "--collector", path, "--", program)
        check_equal(refused.returncode, 125, "xsp-run --collector")
        check(b"is another user's" in refused.stderr, f"it says why: {refused.stderr}")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)

# The folder for profiles, whose name follows from the socket's, made by somebody else, or as a link.
child = listen(0)
scratch = folder / "socket.scratch"
elsewhere = folder / "elsewhere"
elsewhere.mkdir()
for make in (lambda: scratch.symlink_to(elsewhere), lambda: (scratch.mkdir(), os.chown(scratch, NOBODY, NOBODY)),
             lambda: (scratch.mkdir(), scratch.chmod(0o777))):  # fmt: skip
    make()
    refused = run(XSP_RUN, "--collector", path, "--", program)
    check(refused.returncode == 125 and b"is not a folder of this user alone" in refused.stderr, f"{refused}")
    scratch.unlink() if scratch.is_symlink() else scratch.rmdir()
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
