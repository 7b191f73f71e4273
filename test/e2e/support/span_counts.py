"""Counts the spans of a trace by its batches' heads alone, for traces of millions, and what programs counted themselves
(test/programs/counted_spans.c)."""
import struct
from collections import defaultdict
from pathlib import Path

from .trace_reader import fields_of, one, varint
from .xsp_e2e import check

RING_FULL, NO_RING, TOO_DEEP, STRINGS_FULL, CORRUPT, DISK_FULL = range(1, 7)
LINE = 64


class ProcessCount:
    def __init__(self):
        self.pid = 0
        self.spans = 0
        self.by_thread = defaultdict(int)
        self.covered = defaultdict(list)  # ring -> (first record, records)
        self.losses = defaultdict(int)
        self.end = 0

    def check_once(self):
        """No record lies in two batches, and no place of a ring was left out."""
        for ring, parts in self.covered.items():
            at = 0
            for first, records in sorted(parts):
                check(first == at, f"ring {ring}: records {at} to {first} are {'missing' if first > at else 'there twice'}")
                at = first + records


class TraceCount:
    """Of a whole file, or of one that ends in a torn packet."""

    def __init__(self, path):
        self.processes = defaultdict(ProcessCount)
        self.complete = False
        self.notices = []
        data = Path(path).read_bytes()
        at = 0
        while at < len(data):
            check(data[at] == 0x0A, f"no packet at byte {at}")
            size, begin = varint(data, at + 1)
            at = begin + size
            if at <= len(data):
                self.add(fields_of(data[begin:at]))

    def add(self, packet):
        number = one(packet, 1)
        if 4 in packet:
            self.processes[number].pid = one(fields_of(packet[4][0]), 2)
        elif 6 in packet:
            f = fields_of(packet[6][0])
            process, spans = self.processes[number], one(f, 5)
            process.spans += spans
            process.by_thread[one(f, 1)] += spans
            process.covered[one(f, 2)].append((one(f, 3), one(f, 4)))
        elif 10 in packet:
            f = fields_of(packet[10][0])
            self.processes[number].losses[one(f, 1)] = one(f, 2)
        elif 11 in packet:
            self.notices.append(one(fields_of(packet[11][0]), 3, b"").decode(errors="replace"))
        elif 13 in packet:
            self.processes[number].end = one(fields_of(packet[13][0]), 1)
        elif 14 in packet:
            self.complete = bool(one(fields_of(packet[14][0]), 4))

    @property
    def spans(self):
        return sum(p.spans for p in self.processes.values())

    def lost(self, reason):
        return sum(p.losses[reason] for p in self.processes.values())

    def only_process(self):
        found = [p for number, p in self.processes.items() if number]
        check(len(found) == 1, f"{len(found)} processes in the trace")
        return found[0]


def program_counts(path):
    """(process id, {thread id: spans finished})."""
    data = Path(path).read_bytes()
    rows = [struct.unpack_from("<QQ", data, at) for at in range(0, len(data), LINE)]
    return rows[0][1] if rows else 0, {thread: finished for finished, thread in rows[1:] if thread}
