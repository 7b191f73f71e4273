"""A guest in Python: shares memory and sends packets to a collector as the library does, as many spans as a test wants."""
import fcntl
import mmap
import os
import re
import socket
import struct
import time

from .xsp_e2e import SOURCE

PAGE, RING_RECORDS, RECORD = 4096, 16384, 64
RING_STRIDE = PAGE + RING_RECORDS * RECORD
MAGIC = 0x31304D4853505358
LAYOUT = int(re.search(r"kLayoutVersion = (\d+)", (SOURCE / "proto/shared_memory.h").read_text())[1])
F_ADD_SEALS, F_SEAL_SHRINK, F_SEAL_GROW = 1033, 2, 4
(HELLO, STRINGS, SPANS, TAGS, CLOCK, LOSS, NOTICE, PROFILE_FILE, PROCESS_END, ARGUMENTS, LOADED_FILES, GAP, DEVICE, SAMPLING,
 OVERHEAD) = 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 17, 20, 21, 24, 25  # fmt: skip


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def blob(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def column(field, values):
    return blob(field, b"".join(map(varint, values)))


def zigzag(value):
    return value << 1 if value >= 0 else -value * 2 - 1


class FakeGuest:
    """One process. `names` are its strings, with ids from 1."""

    def __init__(self, path, names=(), pid=None, arena=1 << 20, rings=1):
        size = PAGE + rings * RING_STRIDE + arena
        self.memory_fd = os.memfd_create("xsp-test", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.memory_fd, size)
        self.memory = mmap.mmap(self.memory_fd, size)
        fcntl.fcntl(self.memory_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)
        self.arena_at, self.arena_bytes = PAGE + rings * RING_STRIDE, arena
        self.pid = pid or os.getpid()
        struct.pack_into("<QIIQQQII", self.memory, 0, MAGIC, LAYOUT, self.pid, size, self.arena_at, arena, rings, 0)
        self.names = 0
        self.committed = 0
        self.records = 0
        self.span_id = 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        hello = (number(1, 1) + number(2, self.pid) + number(4, time.monotonic_ns()) + blob(5, b"/bin/fake")
                 + blob(6, b"fake") + number(8, size))
        socket.send_fds(self.socket, [packet(HELLO, hello)], [self.memory_fd])
        self.intern(*names)

    def intern(self, *texts):
        """Ids of new strings."""
        first = self.names + 1
        for text in texts:
            raw = text.encode()
            struct.pack_into("<II", self.memory, self.arena_at + self.committed, len(raw), 0)
            at = self.arena_at + self.committed + 8
            self.memory[at : at + len(raw)] = raw
            self.committed += 8 + (len(raw) + 7) // 8 * 8
            self.names += 1
        struct.pack_into("<QI", self.memory, 56, self.committed, self.names)
        if texts:
            self.send(STRINGS, number(1, first) + b"".join(blob(2, t.encode()) for t in texts))
        return list(range(first, self.names + 1))

    def send(self, body, fields):
        self.socket.sendall(packet(body, fields))

    def spans(self, spans, ring=0, thread=7):
        """Sends a batch: (begin, duration, name id, level, kind) each, all with ids of their own."""
        before, steps = 0, []
        for begin, *_ in spans:
            steps.append(zigzag(begin - before))
            before = begin
        count = len(spans)
        fields = (number(1, thread) + number(2, ring) + number(3, self.records) + number(4, count) + number(5, count)
                  + column(7, steps) + column(8, [s[1] for s in spans])
                  + column(9, [zigzag(self.span_id + 1)] + [2] * (count - 1)) + column(11, [s[3] | s[4] << 3 for s in spans])
                  + column(12, [s[2] for s in spans]))
        self.records += count
        self.span_id += count
        self.send(SPANS, fields)

    def layers(self, count, names, step=1000, duration=800):
        """Sends `count` layers that ended just now, by turns of each of the names' ids."""
        begin = time.monotonic_ns() - count * step
        self.spans([(begin + i * step, duration + i % 7, names[i % len(names)], 3, 2) for i in range(count)])

    def goodbye(self):
        struct.pack_into("<I", self.memory, 52, 1)
        self.send(PROCESS_END, number(1, 1) + number(3, time.monotonic_ns()))
        self.close()

    def close(self):
        self.socket.close()
        self.memory.close()
        os.close(self.memory_fd)


def packet(body, fields):
    inner = blob(body, fields)
    return b"\x0a" + varint(len(inner)) + inner
