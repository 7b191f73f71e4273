"""A user beside the collector's own has at most a quarter of all connections: the others still find a place."""
import os
import resource
import socket
import subprocess

from support.fake_guest import FakeGuest
from support.raw_client import in_child_as, is_closed
from support.trace_reader import read_trace
from support.xsp_e2e import XSP_COLLECTOR, check_equal, clean_environment, skip, wait_until, work_folder

NOBODY = 65534
DESCRIPTORS = 64 + 2 * 16  # room for 16 programs, of which another user has 4

if os.getuid() != 0:
    skip("becoming another user needs root")
folder = work_folder()
folder.chmod(0o711)
path = folder / "s"
listener = socket.socket(socket.AF_UNIX)
listener.bind(str(path))
path.chmod(0o666)
listener.listen(64)
collector = subprocess.Popen(
    [XSP_COLLECTOR, "--listen-fd", str(listener.fileno()), "-o", folder / "t.pb", "--allow-all"],
    pass_fds=[listener.fileno()], stderr=subprocess.PIPE, env=clean_environment(),
    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS)))  # fmt: skip
hold, release = os.pipe()
started, start = os.pipe()
if os.fork() == 0:
    os.close(release)

    def take_all():
        guests = [FakeGuest(path, ["theirs"]) for _ in range(4)]
        clients = [socket.socket(socket.AF_UNIX) for _ in range(20)]
        for client in clients:
            client.connect(str(path))
        refused = sum(is_closed(client, 5) for client in clients)
        os.write(start, bytes([refused]))
        os.read(hold, 1)
        return len(guests)

    os._exit(in_child_as(NOBODY, take_all))
check_equal(os.read(started, 1)[0], 20, "connections that were refused")
guests = [FakeGuest(path, ["ours"]) for _ in range(8)]
for guest in guests:
    guest.layers(10, [1])
    guest.goodbye()
partial = folder / "t.pb.partial"
wait_until(lambda: sum(len(p.spans) for p in read_trace(partial).processes.values()) == 80, "ours are recorded")
os.close(release)
os.wait()
collector.terminate()
_, errors = collector.communicate(timeout=60)
check_equal(collector.returncode, 0, f"exit status; stderr: {errors.decode()}")
check_equal(len(read_trace(folder / "t.pb").processes), 12, "processes")
