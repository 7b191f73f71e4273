"""Counts the spans of a trace by its batches' heads alone, for traces with millions, and reads what programs counted
themselves (test/programs/counted_spans.c)."""
import struct
from collections import defaultdict
from pathlib import Path

from .trace_messages import packets, proto
from .xsp_e2e import check

RING_FULL, NO_RING, TOO_DEEP = proto.Loss.RING_FULL, proto.Loss.NO_RING, proto.Loss.TOO_DEEP
STRINGS_FULL, CORRUPT, DISK_FULL = proto.Loss.STRINGS_FULL, proto.Loss.CORRUPT, proto.Loss.DISK_FULL
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
        """Checks that no record is in two batches, and that no position of a ring was left out."""
        for ring, parts in self.covered.items():
            at = 0
            for first, records in sorted(parts):
                check(first == at, f"ring {ring}: records {at} to {first} are {'missing' if first > at else 'there twice'}")
                at = first + records


class TraceCount:
    """Counts of a whole file, or of one that ends in a torn packet."""

    def __init__(self, path):
        self.processes = defaultdict(ProcessCount)
        self.complete = False
        self.notices = []
        for _, packet in packets(Path(path).read_bytes()):
            self.add(packet)

    def add(self, packet):
        process, what = packet.process, packet.WhichOneof("body")
        body = getattr(packet, what) if what else None
        if what == "hello":
            self.processes[process].pid = body.pid
        elif what == "spans":
            count = self.processes[process]
            count.spans += body.count
            count.by_thread[body.thread] += body.count
            count.covered[body.ring].append((body.first_record, body.record_count))
        elif what == "loss":
            self.processes[process].losses[body.reason] = body.count
        elif what == "notice":
            self.notices.append(body.text)
        elif what == "process_end":
            self.processes[process].end = body.how
        elif what == "trace_end":
            self.complete = body.complete

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
