"""For the tests of hostile clients: handmade packets, a socket, a memfd, and the collector's memory use."""
import array
import ctypes
import fcntl
import os
import signal
import socket
import subprocess

from .trace_messages import proto
from .wire_bytes import message, packet
from .xsp_e2e import XSP_COLLECTOR, check_equal, clean_environment, wait_for_listener, wait_until

NOBODY = 65534
SEALS = 0x0001 | 0x0002 | 0x0004  # F_SEAL_SEAL, SHRINK, GROW


def hello(pid=None, shared_memory_bytes=0):
    return packet(hello=message(proto.Hello, protocol_version=1, pid=os.getpid() if pid is None else pid,
                                shared_memory_bytes=shared_memory_bytes))  # fmt: skip


def notice(what):
    return packet(notice=message(proto.Notice, severity=proto.Notice.WARNING, component="guest", text=what))


def profile_file(path, complete=True, keep=False, of_runs=False):
    return packet(profile_file=message(proto.ProfileFile, format=proto.ProfileFile.ORT_JSON, path=path, complete=complete,
                                       keep=keep, scope="s", start_realtime_ns=1, of_runs=of_runs))  # fmt: skip


def connect(path):
    """A client of the collector there. The socket appears in the folder a moment before the collector listens."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

    def is_connected():
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            return False
        return True

    wait_until(is_connected, f"somebody listens on {path}")
    return client


def send_with_descriptors(client, data, descriptors):
    client.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])


def is_closed(client, seconds=20):
    """Whether the other end has closed, or closes within this time."""
    client.settimeout(seconds)
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True
    except socket.timeout:
        return False


def memfd(size, seals=SEALS):
    descriptor = os.memfd_create("hostile", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    if seals:
        fcntl.fcntl(descriptor, 1033, seals)  # F_ADD_SEALS
    return descriptor


class Collector:
    """A running xsp-collector."""

    def __init__(self, folder, *options, **popen):
        self.socket = folder / "socket"
        self.trace = folder / "trace.pb"
        self.process = subprocess.Popen(
            [XSP_COLLECTOR, "--socket", self.socket, "-f", "-o", self.trace, *options], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=clean_environment(), **popen)  # fmt: skip
        wait_for_listener(self.socket)

    def rss_kib(self, line="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(entry.split()[1]) for entry in status if entry.startswith(line))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def finish(self):
        self.process.send_signal(signal.SIGTERM)
        output, errors = self.process.communicate(timeout=60)
        check_equal(self.process.returncode, 0, f"xsp-collector: {output + errors}")
        return (output + errors).decode()


def in_child_as(user, function):
    """What `function` returns in a child that has become this user (and group): a number from 0 to 255."""
    child = os.fork()
    if child == 0:
        status = 255
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
            status = function()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


