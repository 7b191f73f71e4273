"""Reads a trace by the wire format of proto/trace.proto alone: a second reader beside the one in analysis/, so that a
test does not believe a mistake that the collector and xsp-report share.
"""
import struct
from collections import defaultdict
from dataclasses import dataclass, field

LEVELS = {1: "application", 2: "model", 3: "layer", 4: "library", 5: "runtime", 6: "device"}
(API, TORCH_MODULE, TORCH_CONTAINER, TORCH_ROOT, ORT_RUN, ORT_NODE, TORCH_SCRIPT, LIBRARY_CALL, RUNTIME_CALL, NVTX_RANGE,
 ITT_TASK, DRIVER_CALL, KERNEL, MEMCPY, MEMSET, SYNCHRONIZATION, MEMORY, OVERHEAD,
 STREAM_INTERVAL, OPERATOR, PYTHON_FUNCTION, ANNOTATION) = range(1, 23)  # fmt: skip
GOODBYE, DISCONNECTED, CUT_OFF, STILL_RUNNING = range(1, 5)


@dataclass
class Span:
    process: int
    pid: int
    thread: int
    ring: int
    id: int
    parent: int
    begin: int
    end: int
    level: str
    kind: int
    name: str
    type: str
    shape: str
    input: str
    bytes: int
    scope: str
    failed: bool = False
    tags: dict = field(default_factory=dict)
    arguments: dict = field(default_factory=dict)  # of a library call, by field name
    correlation: int = 0
    forward_key: tuple = ()  # of backward work: process, ring and id of its forward span
    forward: "Span" = None
    has_bytes: bool = False  # `bytes` is known
    above: "Span" = None  # its parent
    shallow: bool = False  # nothing inside it was recorded

    def outer(self, level):
        """The nearest span of the level around this one, itself included; None: there is none."""
        span = self
        while span is not None and span.level != level:
            span = span.above
        return span


@dataclass
class Execution:
    """An activity: what ran on a device, and what CUPTI told beside."""
    process: int
    pid: int
    device: int
    context: int
    stream: int
    begin: int
    end: int
    kind: int
    name: str
    configuration: str
    bytes: int
    correlation: int
    graph_node: int
    graph: int
    launch: Span = None
    capture: Span = None  # what was open when its graph's node was made
    launch_key: tuple = ()
    capture_key: tuple = ()

    @property
    def duration(self):
        return self.end - self.begin


@dataclass
class Gap:
    process: int
    reason: int
    level: str
    begin: int
    end: int
    detail: str


@dataclass
class CountedKernel:
    """One row of a CounterBatch."""
    process: int
    pid: int
    device: int
    ordinal: int
    name: str
    values: dict  # by the metric's name
    passes: int
    detail: str


@dataclass
class Process:
    number: int
    pid: int = 0
    command: list = field(default_factory=list)
    strings: dict = field(default_factory=dict)
    spans: list = field(default_factory=list)
    open_spans: list = field(default_factory=list)
    losses: dict = field(default_factory=dict)
    end: int = 0
    sampling: dict = field(default_factory=dict)  # Sampling's fields
    overhead: dict = field(default_factory=dict)  # Overhead's fields


@dataclass
class Trace:
    processes: dict
    header: dict
    complete: bool
    notices: list
    unintercepted: list = field(default_factory=list)  # (reason, library, file, user, detail)
    used_libraries: list = field(default_factory=list)  # (pid, library, file)
    executions: list = field(default_factory=list)
    gaps: list = field(default_factory=list)
    devices: list = field(default_factory=list)  # dictionaries of Device's fields
    counters: list = field(default_factory=list)  # CountedKernel

    @property
    def spans(self):
        return [span for process in self.processes.values() for span in process.spans]

    def of_kind(self, *kinds):
        """Spans of these kinds in order of their begin."""
        return sorted((s for s in self.spans if s.kind in kinds), key=lambda s: (s.begin, -s.end))

    def executed(self, *kinds):
        """Executions of these kinds in order of their begin."""
        return sorted((e for e in self.executions if e.kind in kinds), key=lambda e: (e.begin, e.end))

    @property
    def kernels(self):
        return self.executed(KERNEL)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields_of(data):
    """Field number -> list of raw values (int or bytes)."""
    fields = defaultdict(list)
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
            if len(value) < size:
                raise EOFError
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            value, at = struct.unpack_from("<I", data, at)[0], at + 4
        fields[tag >> 3].append(value)
    return fields


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def packed(raw):
    at = 0
    while at < len(raw):
        value, at = varint(raw, at)
        yield value


def column(fields, number, count):
    values = [value for raw in fields.get(number, []) for value in packed(raw)]
    if values and len(values) != count:
        raise ValueError(f"column {number} has {len(values)} of {count} values")
    return values or [0] * count


def distances(fields, number, count):
    """A column of 1 + zigzag of the difference to the last value that was not 0."""
    result, last = [], 0
    for value in column(fields, number, count):
        if value:
            last += unzigzag(value - 1)
        result.append(last if value else 0)
    return result


def one(fields, number, default=0):
    return fields[number][-1] if number in fields else default


def add_spans(process, body):
    f = fields_of(body)
    count = one(f, 5)
    text = lambda values: [process.strings[v] if v else "" for v in values]
    columns = {n: column(f, n, count) for n in (7, 8, 9, 10, 11, 16)}
    names, types, shapes, inputs, scopes = (text(column(f, n, count)) for n in (12, 13, 14, 15, 18))
    start_threads, start_rings, failed, shallow = (column(f, n, count) for n in (19, 20, 21, 26))
    correlations = distances(f, 22, count)
    forward_rings, forwards = column(f, 23, count), distances(f, 24, count)
    bytes_known = [1] * count if one(f, 17) else column(f, 25, count)
    begin = span_id = 0
    for i in range(count):
        begin += unzigzag(columns[7][i])
        span_id += unzigzag(columns[9][i])
        parent = columns[10][i]
        level_kind = columns[11][i]
        process.spans.append(
            Span(process.number, process.pid, start_threads[i] or one(f, 1),
                 start_rings[i] - 1 if start_rings[i] else one(f, 2), span_id,
                 span_id - parent if parent else 0, begin, begin + columns[8][i],
                 LEVELS.get(level_kind & 7, "?"), level_kind >> 3, names[i], types[i], shapes[i], inputs[i],
                 columns[16][i], scopes[i], bool(failed[i]), correlation=correlations[i],
                 forward_key=(process.number, forward_rings[i] - 1, forwards[i]) if forward_rings[i] else (),
                 has_bytes=bool(bytes_known[i]), shallow=bool(shallow[i])))


def add_activities(process, body, executions):
    f = fields_of(body)
    count = one(f, 4)
    queues = [[one(q, n) for n in (1, 2, 3)] for q in (fields_of(raw) for raw in f.get(6, []))] or [[0, 0, 0]]
    queue, steps, durations, level_kinds, names, configurations, sizes, graphs, rings, capture_rings = (
        column(f, n, count) for n in (7, 8, 9, 10, 11, 12, 13, 16, 19, 21))
    correlations, nodes, launches, captures = (distances(f, n, count) for n in (14, 15, 20, 22))
    begin = 0
    for i in range(count):
        begin += unzigzag(steps[i])
        executions.append(
            Execution(process.number, process.pid, *queues[queue[i]], begin, begin + durations[i], level_kinds[i] >> 3,
                      process.strings.get(names[i], ""), process.strings.get(configurations[i], ""), sizes[i],
                      correlations[i], nodes[i], graphs[i],
                      launch_key=(process.number, rings[i] - 1, launches[i]) if rings[i] else (),
                      capture_key=(process.number, capture_rings[i] - 1, captures[i]) if capture_rings[i] else ()))


def add_tags(process, body, waiting):
    f = fields_of(body)
    ring = one(f, 2)
    spans = [v for raw in f.get(3, []) for v in packed(raw)]
    keys = [v for raw in f.get(4, []) for v in packed(raw)]
    values = [v for raw in f.get(5, []) for v in packed(raw)]
    for span, key, value in zip(spans, keys, values):
        waiting.append((process.number, ring, span, process.strings[key], process.strings[value]))


def decode_arguments(layout, values, strings):
    """Field name -> value, by the grammar of proto/README.md. An enumeration gives its name, a text its string."""
    result = {}
    at = 0
    for word in layout.split():
        name, separator, kind = word.partition(":")
        if not separator:
            name, _, constant = word.partition("=")
            result[name] = constant
            continue
        size = int(kind[1])
        raw = values[at : at + size]
        at += size
        if len(raw) < size:
            break
        if kind[0] == "f":
            result[name] = struct.unpack("<f" if size == 4 else "<d", raw)[0]
        elif kind[0] == "s":
            result[name] = strings.get(int.from_bytes(raw, "little"), "")
        elif kind[0] == "e":
            names = dict(pair.split("=", 1) for pair in kind[3:-1].split(",") if pair)
            number = int.from_bytes(raw, "little", signed=True)
            result[name] = names.get(str(number), number)
        else:
            result[name] = int.from_bytes(raw, "little", signed=kind[0] == "i")
    return result


def add_arguments(process, body, waiting):
    f = fields_of(body)
    spans, layouts, lengths = ([v for raw in f.get(n, []) for v in packed(raw)] for n in (3, 4, 5))
    values = one(f, 6, b"")
    span = at = 0
    for step, layout, length in zip(spans, layouts, lengths):
        span += unzigzag(step)
        arguments = decode_arguments(process.strings[layout], values[at : at + length], process.strings)
        waiting.append((process.number, one(f, 2), span, arguments))
        at += length


def add_counters(process, data, counters):
    f = fields_of(data)
    metrics = [process.strings.get(i, "") for raw in f.get(2, []) for i in packed(raw)]
    values = struct.unpack(f"<{len(b''.join(f.get(7, []))) // 8}d", b"".join(f.get(7, [])))
    ordinal = 0
    for row, (name, more) in enumerate(zip(column(f, 4, one(f, 3)), column(f, 5, one(f, 3)))):
        ordinal += more
        of_kernel = values[row * len(metrics) : (row + 1) * len(metrics)]
        counters.append(CountedKernel(process.number, process.pid, one(f, 1), ordinal, process.strings.get(name, ""),
                                      dict(zip(metrics, of_kernel)), one(f, 8), one(f, 9, b"").decode()))  # fmt: skip


def run_of(field):
    """Which run of which set: ExperimentRun; empty for a recording by itself."""
    if not field:
        return {}
    f = fields_of(field[0])
    parameters = [fields_of(raw) for raw in f.get(5, [])]
    return {"set": one(f, 1, b"").decode(), "index": one(f, 2), "repetition": one(f, 3),
            "purpose": ("LATENCIES", "COUNTERS", "SERIALISED")[one(f, 4)],
            "parameters": [(one(p, 1, b"").decode(), one(p, 2, b"").decode()) for p in parameters]}  # fmt: skip


def segments_of(data):
    """A file's traces: each begins with its header."""
    begins, at = [], 0
    while at < len(data):
        begin = at
        _, at = varint(data, at)
        size, at = varint(data, at)
        if at + size <= len(data) and 3 in fields_of(data[at : at + size]):
            begins.append(begin)
        at += size
    return [data[begin:end] for begin, end in zip(begins, [*begins[1:], len(data)])]


def read_segments(path):
    """The traces of a file that are one behind the other."""
    with open(path, "rb") as file:
        return [trace_of(data) for data in segments_of(file.read())]


def read_trace(path):
    with open(path, "rb") as file:
        return trace_of(file.read())


def trace_of(data):
    processes, header, notices, tags, complete = {}, {}, [], [], False
    arguments, unintercepted, used_libraries, executions, gaps, devices, counters = [], [], [], [], {}, [], []
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        assert tag == 0x0A, f"no packet at byte {at}"
        size, at = varint(data, at)
        if at + size > len(data):
            break  # a torn tail
        packet = fields_of(data[at : at + size])
        at += size
        number = one(packet, 1)
        process = processes.setdefault(number, Process(number)) if number else None
        if 3 in packet:
            f = fields_of(packet[3][0])
            header = {"command": [c.decode() for c in f.get(10, [])], "level": one(f, 11, b"").decode(),
                      "counted": bool(one(f, 16)), "run": run_of(f.get(17, []))}  # fmt: skip
        elif 4 in packet:
            f = fields_of(packet[4][0])
            process.pid = one(f, 2)
            process.command = [c.decode(errors="replace") for c in f.get(6, [])]
        elif 5 in packet:
            f = fields_of(packet[5][0])
            for i, raw in enumerate(f.get(2, [])):
                process.strings[one(f, 1) + i] = raw.decode(errors="replace")
        elif 6 in packet:
            add_spans(process, packet[6][0])
        elif 7 in packet:
            add_tags(process, packet[7][0], tags)
        elif 8 in packet:
            f = fields_of(packet[8][0])
            for raw in f.get(3, []):
                s = fields_of(raw)
                process.open_spans.append((process.strings.get(one(s, 3), ""), one(s, 6)))
        elif 10 in packet and process is not None:
            f = fields_of(packet[10][0])
            process.losses[one(f, 1)] = one(f, 2)
        elif 11 in packet:
            f = fields_of(packet[11][0])
            notices.append(f"{one(f, 2, b'').decode()}: {one(f, 3, b'').decode()}")
        elif 13 in packet:
            process.end = one(fields_of(packet[13][0]), 1)
        elif 14 in packet:
            complete = bool(one(fields_of(packet[14][0]), 4))
        elif 15 in packet:
            add_arguments(process, packet[15][0], arguments)
        elif 16 in packet:
            f = fields_of(packet[16][0])
            unintercepted.append((one(f, 1), *(one(f, n, b"").decode(errors="replace") for n in (2, 3, 4, 5))))
        elif 18 in packet:
            add_activities(process, packet[18][0], executions)
        elif 20 in packet:
            f = fields_of(packet[20][0])
            gap = Gap(number, one(f, 1), LEVELS.get(one(f, 2), "?"), one(f, 3), one(f, 4), one(f, 5, b"").decode())
            gaps[number, gap.reason, gap.level, gap.begin] = gap
        elif 21 in packet:
            f = fields_of(packet[21][0])
            names = ("index", "name", "uuid", "major", "minor", "multiprocessors", "memory_bytes", "clock_khz",
                     "memory_clock_khz", "memory_bus_bits", "driver_version", "cupti_version")  # fmt: skip
            devices.append({"process": number, "chip": one(f, 15, b"").decode(),
                            **{name: one(f, i + 1) for i, name in enumerate(names)}})  # fmt: skip
        elif 22 in packet:
            add_counters(process, packet[22][0], counters)
        elif 24 in packet:
            f = fields_of(packet[24][0])
            process.sampling = {n: one(f, i + 1) for i, n in enumerate(("every", "seen", "recorded", "is_adaptive"))}
        elif 25 in packet:
            f = fields_of(packet[25][0])
            names = ("wall_ns", "cpu_ns", "hooks_ns", "threads_ns", "hooks_timed", "calls_ns")
            process.overhead = {name: one(f, i + 1) for i, name in enumerate(names)}
        elif 26 in packet:
            f = fields_of(packet[26][0])
            used_libraries.append((process.pid, *(one(f, n, b"").decode(errors="replace") for n in (1, 2))))
    by_id = {(s.process, s.ring, s.id): s for p in processes.values() for s in p.spans if s.id}
    for process, ring, span, key, value in tags:
        if (process, ring, span) in by_id:
            by_id[process, ring, span].tags[key] = value
    for process, ring, span, values in arguments:
        if (process, ring, span) in by_id:
            by_id[process, ring, span].arguments = values
    for span in by_id.values():
        span.above = by_id.get((span.process, span.ring, span.parent)) if span.parent else None
        span.forward = by_id.get(span.forward_key)
    for execution in executions:
        execution.launch = by_id.get(execution.launch_key)
        execution.capture = by_id.get(execution.capture_key)
    return Trace(processes, header, complete, notices, unintercepted, used_libraries, executions, list(gaps.values()), devices,
                 counters)  # fmt: skip
