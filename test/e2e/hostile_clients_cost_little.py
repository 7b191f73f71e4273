"""Claimed sizes, senders of a byte a second, thousands of connections that say nothing, descriptors by the hundred, memory
that is none: the collector's memory and descriptors stay bounded, and a program beside them is recorded in time.
XSP_HOSTILE_CLIENTS: how many connections (default 1200).
"""
import fcntl
import os
import resource
import struct
import time

from support.raw_client import SEALS, Collector, connect, hello, is_closed, memfd, notice, send_with_descriptors
from support.trace_reader import read_trace
from support.wire_bytes import blob, number, varint
from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, run, wait_until, work_folder

CLIENTS = int(os.environ.get("XSP_HOSTILE_CLIENTS", "1200"))
MIB = 1024
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
CLIENTS = min(CLIENTS, limit // 2 - 100)

folder = work_folder()
collector = Collector(folder)
before = collector.rss_kib()
at_first = collector.descriptors()
served = 0


def serve(what):
    """A good program is recorded while the others are there."""
    global served
    begin = time.monotonic()
    done = run(XSP_RUN, "--collector", collector.socket, "--", BUILD / "test/e2e/api_spans")
    check_equal(done.returncode, 0, f"{what}: a good program beside: {done.stderr}")
    served += 1
    growth = collector.rss_kib() - before
    print(f"{what}: a good program takes {time.monotonic() - begin:.2f} s; the collector has grown by {growth / MIB:.1f} MiB")
    return growth


def send(data, descriptors=(), then_hello=False):
    client = connect(collector.socket)
    try:
        if then_hello:
            client.sendall(hello())
        if descriptors:
            send_with_descriptors(client, data, descriptors)
        else:
            client.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return client


# Sizes that are claimed.
claims = [b"\x0a" + varint(size) for size in ((1 << 20) + 1, 1 << 27, (1 << 28) - 1)] + [b"\x0a\xff\xff\xff\xff\x0f"]
for claim in claims:
    for greeted in (False, True):
        check(is_closed(send(claim + b"x" * 100, then_hello=greeted)), f"a claim of {claim} is not cut off")
held = [send(b"\x0a" + varint(1 << 20) + b"x" * (64 << 10), then_hello=False) for _ in range(20)]
for client in held:
    check(is_closed(client), "a Hello of a megabyte is waited for")
# Inner lengths and counts beyond the packet.
for body in (blob(2, b"x")[:-1], number(4, 1 << 40) + number(5, 1 << 31), varint(6 << 3 | 2) + varint(1 << 31)):
    for field in (5, 6, 15, 18, 19, 20):
        send(blob(1, blob(field, body)), then_hello=True).close()

# Descriptors by the hundred, again and again, and memory that is none.
null = os.open("/dev/null", os.O_RDONLY)
for _ in range(10):
    send(b"\x0a", [null] * 250).close()
    send(hello() + notice("x"), [null] * 250).close()
    flood = send(hello(), [null] * 3)
    for _ in range(20):
        send_with_descriptors(flood, notice("y"), [null] * 200)
    flood.close()
read_end, write_end = os.pipe()
size = 1 << 20
good_header = struct.pack("<QIIQQQII", 0, 0, 1, size, 4096, 4096, 1, 0)
for descriptor in (memfd(size, 0), memfd(size), memfd(size // 2), memfd(size, SEALS & ~2), read_end, null,
                   os.open("/dev/zero", os.O_RDWR), os.open("/etc/passwd", os.O_RDONLY)):  # fmt: skip
    client = send(hello(shared_memory_bytes=size), [descriptor])
    check(is_closed(client), "memory that is none is taken")
huge = os.memfd_create("huge", os.MFD_ALLOW_SEALING)
os.ftruncate(huge, 1 << 45)
fcntl.fcntl(huge, 1033, SEALS)
os.pwrite(huge, good_header, 0)
check(is_closed(send(hello(shared_memory_bytes=1 << 45), [huge])), "memory of 32 TiB is taken")
growth = serve("claims, descriptors, memory")
check(growth < 40 * MIB, f"the collector grew by {growth / MIB:.0f} MiB")

# A byte at a time: each has what it sent, and nobody waits for it.
slow = [connect(collector.socket) for _ in range(50)]
stream = hello() + b"\x0a" + varint(1 << 20)
for at in range(len(stream)):
    for client in slow:
        client.sendall(stream[at : at + 1])
for client in slow:
    client.sendall(b"x" * 1000)
growth = serve("50 slow senders")
check(growth < 40 * MIB, f"the collector grew by {growth / MIB:.0f} MiB")

# Large packets that are never whole: 100 of them would be 100 MiB.
large = [send(b"\x0a" + varint(1 << 20) + b"x" * ((1 << 20) - 10), then_hello=True) for _ in range(100)]
growth = serve("100 packets of a megabyte that are never whole")
check(growth < 120 * MIB, f"the collector grew by {growth / MIB:.0f} MiB")
for client in slow + large:
    client.close()

# Connections that say nothing.
cpu = collector.cpu_seconds()
silent = []
while len(silent) < CLIENTS:
    silent.append(connect(collector.socket))
growth = serve(f"{CLIENTS} silent connections")
check(growth < 120 * MIB + CLIENTS * 16, f"the collector grew by {growth / MIB:.0f} MiB")
check(is_closed(silent[0], 30), "who says nothing is waited for without end")
wait_until(lambda: collector.descriptors() < at_first + 40, "the descriptors of silent connections are closed", 30)
for client in silent:
    client.close()
cpu = collector.cpu_seconds() - cpu
print(f"processor time for them: {cpu:.2f} s; most memory: {collector.rss_kib('VmHWM') / MIB:.0f} MiB")
check(cpu < 10, f"{cpu} s of the processor for connections that say nothing")

collector.finish()
spans = [len(process.spans) for process in read_trace(collector.trace).processes.values() if process.spans]
check_equal(spans, [40] * served, "spans of the good programs")
