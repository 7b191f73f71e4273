"""Programs of another user: refused, unless the collector is told to let them in; then they are recorded, the trace says whose
they are, and no file that they name is opened, read or removed.
"""
import atexit
import os
import signal
import socket
import subprocess

from support.fake_guest import FakeGuest
from support.recording_parts import read_parts
from support.trace_messages import proto
from support.wire_bytes import message
from support.xsp_e2e import XSP_COLLECTOR, check, check_equal, clean_environment, skip, wait_until, work_folder

NOBODY = 65534

if os.getuid() != 0:
    skip("becoming another user needs root")
folder = work_folder()
folder.chmod(0o711)
secret = folder / "secret.json"
secret.write_text('[{"cat":"Node","name":"root\'s own","ph":"X","dur":5,"ts":1,"args":{}}]')
secret.chmod(0o600)


def catches_terminate(pid):
    with open(f"/proc/{pid}/status") as status:
        caught = next(line for line in status if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


def as_nobody(path):
    """A guest of nobody: whether it was let in is seen at the other end."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        guest = FakeGuest(path, ["theirs"])
        guest.send(profile_file=message(proto.ProfileFile, format=proto.ProfileFile.ORT_JSON, path=str(secret), complete=True))
        guest.send(loaded_files=message(proto.LoadedFiles, path=[str(secret)]))
        guest.layers(10, [1])
        guest.goodbye()
    except OSError:
        os._exit(1)
    os._exit(0)


for number_of_test, (options, lets_in) in enumerate([((), False), (("--allow-users", "nobody"), True),
                                                     (("--allow-group", str(NOBODY)), True), (("--allow-all",), True),
                                                     (("--allow-users", "daemon"), False)]):  # fmt: skip
    path, output = folder / f"s{number_of_test}", folder / f"r{number_of_test}"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o666)
    listener.listen()
    collector = subprocess.Popen([XSP_COLLECTOR, "--listen-fd", str(listener.fileno()), "-o", output, "--continuous",
                                  *options], pass_fds=[listener.fileno()], stderr=subprocess.PIPE, env=clean_environment())
    atexit.register(collector.kill)
    as_nobody(path)
    own = FakeGuest(path, ["own"])
    own.layers(5, [1])
    own.goodbye()
    wait_until(lambda: catches_terminate(collector.pid), "the collector runs")
    collector.terminate()
    _, said = collector.communicate(timeout=60)
    check_equal(collector.returncode, 0, f"{options}: {said.decode()}")
    part = read_parts(output)[0]
    names = {name for names in part.names.values() for name in names}
    check_equal(names, {"own", "theirs"} if lets_in else {"own"}, f"{options}: names in the trace")
    users = sorted(hello.user for hello in part.hellos.values())
    check_equal(users, [0, NOBODY] if lets_in else [0], f"{options}: users in the trace")
    told = [text for text in part.notices if "of another user" in text]
    check_equal(len(told), 1 if lets_in else 0, f"{options}: notices {part.notices}")
    check(secret.exists(), f"{options}: the file is there")
    listener.close()
