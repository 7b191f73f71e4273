"""Reads the parts of a continuous recording packet by packet: what each says by itself, and what all count together."""
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from .trace_reader import column, fields_of, one, packed, unzigzag, varint
from .xsp_e2e import check, check_equal

(HEADER, HELLO, STRINGS, SPANS, LOSS, NOTICE, PROCESS_END, TRACE_END, GAP, AGGREGATES, SAMPLING, OVERHEAD,
 ACTIVITIES) = 3, 4, 5, 6, 10, 11, 13, 14, 20, 23, 24, 25, 18  # fmt: skip
NOT_STORED = 4


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
    end: dict = field(default_factory=dict)
    hellos: dict = field(default_factory=dict)
    ends: dict = field(default_factory=dict)  # ProcessEnd by process
    aggregates: list = field(default_factory=list)
    names: dict = field(default_factory=lambda: defaultdict(Counter))  # spans by process and name
    nameless: int = 0
    spans: list = field(default_factory=list)  # (process, begin, duration, name)
    gaps: dict = field(default_factory=dict)  # (process, reason, begin) -> end
    notices: list = field(default_factory=list)
    totals: dict = field(default_factory=dict)  # (process, SAMPLING or OVERHEAD) -> fields

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
    at = 0
    while at < len(data):
        start = at
        _, at = varint(data, at)
        size, at = varint(data, at)
        if at + size > len(data):
            break
        packet = fields_of(data[at : at + size])
        at += size
        process = one(packet, 1)
        sequences[process] += 1
        check_equal(one(packet, 2), sequences[process], f"{path}: number of a packet of process {process} at {start}")
        part.is_whole = TRACE_END in packet
        read_packet(part, process, packet, strings[process])
    return part


def read_packet(part, process, packet, strings):
    if HEADER in packet:
        place = fields_of(one(fields_of(packet[HEADER][0]), 18, b""))
        part.recording, part.index = one(place, 1, b""), one(place, 2)
    elif HELLO in packet:
        part.hellos[process] = fields_of(packet[HELLO][0])
    elif STRINGS in packet:
        batch = fields_of(packet[STRINGS][0])
        for i, text in enumerate(batch.get(2, [])):
            strings[one(batch, 1) + i] = text.decode()
    elif SPANS in packet:
        batch = fields_of(packet[SPANS][0])
        count, begin = one(batch, 5), 0
        check(process in part.hellos, f"{part.path}: spans of process {process}, of which nothing was said")
        for step, duration, name in zip(column(batch, 7, count), column(batch, 8, count), column(batch, 12, count)):
            begin += unzigzag(step)
            part.nameless += name not in strings
            part.names[process][strings.get(name, "")] += 1
            part.spans.append((process, begin, duration, strings.get(name, "")))
    elif AGGREGATES in packet:
        part.aggregates.append(read_aggregates(process, fields_of(packet[AGGREGATES][0]), strings))
    elif GAP in packet:
        gap = fields_of(packet[GAP][0])
        part.gaps[process, one(gap, 1), one(gap, 3)] = one(gap, 4)
    elif NOTICE in packet:
        part.notices.append(one(fields_of(packet[NOTICE][0]), 3, b"").decode())
    elif PROCESS_END in packet:
        part.ends[process] = fields_of(packet[PROCESS_END][0])
    elif TRACE_END in packet:
        part.end = fields_of(packet[TRACE_END][0])
    for kind in (SAMPLING, OVERHEAD):
        if kind in packet:
            part.totals[process, kind] = {n: v[-1] for n, v in fields_of(packet[kind][0]).items()}


def read_aggregates(process, f, strings):
    count = one(f, 4)
    columns = [column(f, n, count) for n in range(5, 15)]
    steps, spans = ([v for raw in f.get(n, []) for v in packed(raw)] for n in (15, 16))
    rows, at = [], 0
    for level_kind, name, kind, number, stored, total, least, most, failed, buckets in zip(*columns):
        bucket, here = 0, {}
        for step, inside in zip(steps[at : at + buckets], spans[at : at + buckets]):
            bucket += step
            here[bucket] = inside
        at += buckets
        check(name == 0 or name in strings, "a count has a name that was not said")
        rows.append(Row(level_kind, strings.get(name, ""), strings.get(kind, ""), number, stored, total, least, most, failed,
                        here))
    return Aggregates(process, one(f, 1), one(f, 2), bool(one(f, 3)), rows)


def read_parts(folder):
    paths = sorted(p for p in Path(folder).iterdir() if p.name.endswith((".pb", ".pb.partial")))
    return [read_part(p) for p in paths]


def counted(parts):
    """Spans and stored spans by name, of all time: as a reader adds them (Aggregates of trace.proto)."""
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
