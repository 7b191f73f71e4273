"""Reads the parts of a continuous recording packet by packet: what each says on its own, and their total counts."""
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from .trace_messages import column, packets, proto
from .xsp_e2e import check, check_equal

NOT_STORED = proto.Gap.NOT_STORED


@dataclass
class Row:
    level_kind: int
    name: str
    type: str
    spans: int
    stored: int
    total: int
    least: int
    most: int
    failed: int
    buckets: dict


@dataclass
class Aggregates:
    process: int
    begin: int
    end: int
    is_total: bool
    rows: list


@dataclass
class Part:
    path: Path
    size: int = 0
    index: int = 0
    recording: bytes = b""
    is_whole: bool = False  # ends with a TraceEnd
    end: object = None  # its TraceEnd
    hellos: dict = field(default_factory=dict)  # Hello by process
    ends: dict = field(default_factory=dict)  # ProcessEnd by process
    aggregates: list = field(default_factory=list)
    names: dict = field(default_factory=lambda: defaultdict(Counter))  # spans by process and name
    nameless: int = 0
    spans: list = field(default_factory=list)  # (process, begin, duration, name)
    gaps: dict = field(default_factory=dict)  # (process, reason, begin) -> end
    notices: list = field(default_factory=list)

    @property
    def stored(self):
        return len(self.spans)


def bucket_of(ns):
    if ns < 16:
        return ns
    octave = ns.bit_length() - 1
    return 16 * (octave - 3) + (ns >> (octave - 4) & 15)


def read_part(path):
    """Checks as it goes that the packets of each process are numbered from 1, and that strings precede their use."""
    data = Path(path).read_bytes()
    part = Part(Path(path), len(data))
    strings, sequences = defaultdict(dict), Counter()
    for start, packet in packets(data):
        process = packet.process
        sequences[process] += 1
        check_equal(packet.sequence, sequences[process], f"{path}: number of a packet of process {process} at {start}")
        what = packet.WhichOneof("body")
        part.is_whole = what == "trace_end"
        if what:
            read_packet(part, process, what, getattr(packet, what), strings[process])
    return part


def read_packet(part, process, what, body, strings):
    if what == "header":
        part.recording, part.index = body.part.recording, body.part.index
    elif what == "hello":
        part.hellos[process] = body
    elif what == "strings":
        for i, text in enumerate(body.text):
            strings[body.first_id + i] = text.decode()
    elif what == "spans":
        count = body.count
        check(process in part.hellos, f"{part.path}: spans of process {process}, of which nothing was said")
        begins = accumulate(column(body.begin, count))
        for begin, duration, name in zip(begins, column(body.duration, count), column(body.name, count)):
            part.nameless += name not in strings
            part.names[process][strings.get(name, "")] += 1
            part.spans.append((process, begin, duration, strings.get(name, "")))
    elif what == "aggregates":
        part.aggregates.append(read_aggregates(process, body, strings))
    elif what == "gap":
        part.gaps[process, body.reason, body.begin_ns] = body.end_ns
    elif what == "notice":
        part.notices.append(body.text)
    elif what == "process_end":
        part.ends[process] = body
    elif what == "trace_end":
        part.end = body


def read_aggregates(process, batch, strings):
    columns = (batch.level_kind, batch.name, batch.type, batch.spans, batch.stored, batch.total_ns, batch.min_ns, batch.max_ns,
               batch.failed, batch.buckets)  # fmt: skip
    rows, at = [], 0
    for level_kind, name, kind, number, stored, total, least, most, failed, buckets in zip(
            *(column(values, batch.count) for values in columns)):  # fmt: skip
        here = dict(zip(accumulate(batch.bucket[at : at + buckets]), batch.bucket_spans[at : at + buckets]))
        at += buckets
        check(name == 0 or name in strings, "a count has a name that was not said")
        rows.append(Row(level_kind, strings.get(name, ""), strings.get(kind, ""), number, stored, total, least, most, failed,
                        here))
    return Aggregates(process, batch.begin_ns, batch.end_ns, batch.is_total, rows)


def read_parts(folder):
    paths = sorted(p for p in Path(folder).iterdir() if p.name.endswith((".pb", ".pb.partial")))
    return [read_part(p) for p in paths]


def counted(parts):
    """Spans and stored spans by name, over all time: as a reader adds them up (Aggregates of trace.proto)."""
    spans, stored, seen = Counter(), Counter(), set()
    for part in parts:
        for entry in part.aggregates:
            if entry.is_total and entry.process in seen:
                continue
            seen.add(entry.process)
            for row in entry.rows:
                spans[row.name] += row.spans
                stored[row.name] += row.stored
    return spans, stored


def folder_bytes(folder):
    total = 0
    for path in Path(folder).iterdir():
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            pass  # renamed or removed meanwhile
    return total
