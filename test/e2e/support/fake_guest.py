"""A guest in Python: shares memory and sends packets to a collector as the library does, as many spans as a test wants."""
import fcntl
import mmap
import os
import re
import struct
import time

from .raw_client import connect, send_with_descriptors
from .trace_messages import proto
from .wire_bytes import message, packet, zigzag
from .xsp_e2e import SOURCE

PAGE, RING_RECORDS, RECORD = 4096, 16384, 64
RING_STRIDE = PAGE + RING_RECORDS * RECORD
MAGIC = 0x31304D4853505358
LAYOUT = int(re.search(r"kLayoutVersion = (\d+)", (SOURCE / "proto/shared_memory.h").read_text())[1])
F_ADD_SEALS, F_SEAL_SHRINK, F_SEAL_GROW = 1033, 2, 4


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
        self.socket = connect(path)
        hello = packet(hello=message(proto.Hello, protocol_version=1, pid=self.pid, start_ns=time.monotonic_ns(),
                                     executable="/bin/fake", command=["fake"], shared_memory_bytes=size))  # fmt: skip
        send_with_descriptors(self.socket, hello, [self.memory_fd])
        self.intern(*names)

    def intern(self, *texts):
        """Adds new strings; returns their ids."""
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
            self.send(strings=message(proto.StringBatch, first_id=first, text=list(texts)))
        return list(range(first, self.names + 1))

    def send(self, **body):
        """A packet by the name of its body."""
        self.socket.sendall(packet(**body))

    def spans(self, spans, ring=0, thread=7):
        """Sends a batch: (begin, duration, name id, level, kind) each, all with ids of their own."""
        before, steps = 0, []
        for begin, *_ in spans:
            steps.append(zigzag(begin - before))
            before = begin
        count = len(spans)
        batch = message(proto.SpanBatch, thread=thread, ring=ring, first_record=self.records, record_count=count, count=count,
                        begin=steps, duration=[s[1] for s in spans], id=[zigzag(self.span_id + 1)] + [2] * (count - 1),
                        level_kind=[s[3] | s[4] << 3 for s in spans], name=[s[2] for s in spans])  # fmt: skip
        self.records += count
        self.span_id += count
        self.send(spans=batch)

    def layers(self, count, names, step=1000, duration=800):
        """Sends `count` layers that ended just now, cycling through the ids of the names."""
        begin = time.monotonic_ns() - count * step
        self.spans([(begin + i * step, duration + i % 7, names[i % len(names)], 3, 2) for i in range(count)])

    def goodbye(self):
        struct.pack_into("<I", self.memory, 52, 1)
        self.send(process_end=message(proto.ProcessEnd, how=proto.ProcessEnd.GOODBYE, end_ns=time.monotonic_ns()))
        self.close()

    def close(self):
        self.socket.close()
        self.memory.close()
        os.close(self.memory_fd)
