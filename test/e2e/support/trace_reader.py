"""Reads a trace by the messages of proto/trace.proto alone: a second reader besides the one in analysis/, so that tests are
not fooled by a mistake that the collector and xsp-report share.
"""
import struct
from dataclasses import dataclass, field
from itertools import accumulate

from .schema_messages import unzigzag
from .trace_messages import column, distances, packets, proto

LEVELS = {proto.LEVEL_APPLICATION: "application", proto.LEVEL_MODEL: "model", proto.LEVEL_LAYER: "layer",
          proto.LEVEL_LIBRARY: "library", proto.LEVEL_RUNTIME: "runtime", proto.LEVEL_DEVICE: "device"}  # fmt: skip
API, NVTX_RANGE, ITT_TASK = proto.KIND_API, proto.KIND_NVTX_RANGE, proto.KIND_ITT_TASK
TORCH_MODULE, TORCH_CONTAINER, TORCH_ROOT = proto.KIND_TORCH_MODULE, proto.KIND_TORCH_CONTAINER, proto.KIND_TORCH_ROOT
TORCH_SCRIPT, ORT_RUN, ORT_NODE = proto.KIND_TORCH_SCRIPT, proto.KIND_ORT_RUN, proto.KIND_ORT_NODE
LIBRARY_CALL, RUNTIME_CALL, DRIVER_CALL = proto.KIND_LIBRARY_CALL, proto.KIND_RUNTIME_CALL, proto.KIND_DRIVER_CALL
KERNEL, MEMCPY, MEMSET = proto.KIND_KERNEL, proto.KIND_MEMCPY, proto.KIND_MEMSET
SYNCHRONIZATION, MEMORY, OVERHEAD = proto.KIND_SYNCHRONIZATION, proto.KIND_MEMORY, proto.KIND_OVERHEAD
STREAM_INTERVAL, OPERATOR = proto.KIND_STREAM_INTERVAL, proto.KIND_OPERATOR
PYTHON_FUNCTION, ANNOTATION = proto.KIND_PYTHON_FUNCTION, proto.KIND_ANNOTATION
GOODBYE, DISCONNECTED = proto.ProcessEnd.GOODBYE, proto.ProcessEnd.DISCONNECTED
CUT_OFF, STILL_RUNNING = proto.ProcessEnd.CUT_OFF, proto.ProcessEnd.STILL_RUNNING


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

    @property
    def duration(self):
        return self.end - self.begin

    def outer(self, level):
        """The nearest span of the level around this one, itself included; None: there is none."""
        span = self
        while span is not None and span.level != level:
            span = span.above
        return span


@dataclass
class Execution:
    """An activity: what ran on a device, and other records of CUPTI."""
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


def fields_of(message, *names):
    return {name: getattr(message, name) for name in names}


def add_spans(process, batch):
    count = batch.count
    text = lambda ids: [process.strings[i] if i else "" for i in column(ids, count)]
    begins, ids = accumulate(column(batch.begin, count)), accumulate(map(unzigzag, column(batch.id, count)))
    known = [1] * count if batch.has_bytes else column(batch.bytes_known, count)
    for (begin, duration, span_id, parent, level_kind, name, type_name, shape, inputs, size, scope, thread, ring, failed,
         shallow, correlation, forward_ring, forward, has_bytes) in zip(
            begins, column(batch.duration, count), ids, column(batch.parent, count), column(batch.level_kind, count),
            text(batch.name), text(batch.type), text(batch.shape), text(batch.input), column(batch.bytes, count),
            text(batch.scope), column(batch.start_thread, count), column(batch.start_ring, count), column(batch.failed, count),
            column(batch.shallow, count), distances(batch.correlation, count), column(batch.forward_ring, count),
            distances(batch.forward, count), known):  # fmt: skip
        process.spans.append(
            Span(process.number, process.pid, thread or batch.thread, ring - 1 if ring else batch.ring, span_id,
                 span_id - parent if parent else 0, begin, begin + duration, LEVELS.get(level_kind & 7, "?"), level_kind >> 3,
                 name, type_name, shape, inputs, size, scope, bool(failed), correlation=correlation,
                 forward_key=(process.number, forward_ring - 1, forward) if forward_ring else (),
                 has_bytes=bool(has_bytes), shallow=bool(shallow)))


def add_activities(process, batch, executions):
    count = batch.count
    text = lambda ids: [process.strings.get(i, "") for i in column(ids, count)]
    queues = [(queue.device, queue.context, queue.stream) for queue in batch.queue] or [(0, 0, 0)]
    for (queue, begin, duration, level_kind, name, configuration, size, correlation, node, graph, ring, launch, capture_ring,
         capture) in zip(
            column(batch.queue_index, count), accumulate(column(batch.begin, count)), column(batch.duration, count),
            column(batch.level_kind, count), text(batch.name), text(batch.configuration), column(batch.bytes, count),
            distances(batch.correlation, count), distances(batch.graph_node, count), column(batch.graph, count),
            column(batch.launch_ring, count), distances(batch.launch, count), column(batch.capture_ring, count),
            distances(batch.capture, count)):  # fmt: skip
        executions.append(
            Execution(process.number, process.pid, *queues[queue], begin, begin + duration, level_kind >> 3, name,
                      configuration, size, correlation, node, graph, launch_key=(process.number, ring - 1, launch) if ring else (),
                      capture_key=(process.number, capture_ring - 1, capture) if capture_ring else ()))


def add_tags(process, batch, waiting):
    for span, key, value in zip(batch.span, batch.key, batch.value):
        waiting.append((process.number, batch.ring, span, process.strings[key], process.strings[value]))


def decode_arguments(layout, values, strings):
    """Field name -> value, by the grammar of proto/README.md. Enumerations as their name, texts as their string."""
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


def add_arguments(process, batch, waiting):
    values, at = batch.values, 0
    for span, layout, length in zip(accumulate(map(unzigzag, batch.span)), batch.layout, batch.length):
        arguments = decode_arguments(process.strings[layout], values[at : at + length], process.strings)
        waiting.append((process.number, batch.ring, span, arguments))
        at += length


def add_counters(process, batch, counters):
    metrics = [process.strings.get(i, "") for i in batch.metric]
    values = list(batch.value)
    ordinals = accumulate(column(batch.ordinal, batch.count))
    for row, (name, ordinal) in enumerate(zip(column(batch.name, batch.count), ordinals)):
        of_kernel = values[row * len(metrics) : (row + 1) * len(metrics)]
        counters.append(CountedKernel(process.number, process.pid, batch.device, ordinal, process.strings.get(name, ""),
                                      dict(zip(metrics, of_kernel)), batch.passes, batch.detail))  # fmt: skip


def run_of(header):
    """Which run of which set: ExperimentRun; empty for a recording by itself."""
    if not header.HasField("run"):
        return {}
    run = header.run
    purposes = {run.LATENCIES: "LATENCIES", run.COUNTERS: "COUNTERS", run.SERIALISED: "SERIALISED"}
    return {**fields_of(run, "set", "index", "repetition"), "purpose": purposes[run.purpose],
            "parameters": [(parameter.name, parameter.value) for parameter in run.parameters]}  # fmt: skip


def segments_of(data):
    """A file's traces: each begins with its header."""
    begins = [begin for begin, packet in packets(data) if packet.HasField("header")]
    return [data[begin:end] for begin, end in zip(begins, [*begins[1:], len(data)])]


def read_segments(path):
    """The consecutive traces of a file."""
    with open(path, "rb") as file:
        return [trace_of(data) for data in segments_of(file.read())]


def read_trace(path):
    with open(path, "rb") as file:
        return trace_of(file.read())


def trace_of(data):
    processes, header, notices, tags, complete = {}, {}, [], [], False
    arguments, unintercepted, used_libraries, executions, gaps, devices, counters = [], [], [], [], {}, [], []
    for _, packet in packets(data):
        number = packet.process
        process = processes.setdefault(number, Process(number)) if number else None
        what = packet.WhichOneof("body")
        body = getattr(packet, what) if what else None
        if what == "header":
            header = {"command": list(body.command), "level": body.requested_level, "counted": body.counted,
                      "run": run_of(body)}  # fmt: skip
        elif what == "hello":
            process.pid, process.command = body.pid, list(body.command)
        elif what == "strings":
            for i, raw in enumerate(body.text):
                process.strings[body.first_id + i] = raw.decode(errors="replace")
        elif what == "spans":
            add_spans(process, body)
        elif what == "tags":
            add_tags(process, body, tags)
        elif what == "open_spans":
            process.open_spans.extend((process.strings.get(s.name, ""), s.kind) for s in body.span)
        elif what == "loss" and process is not None:
            process.losses[body.reason] = body.count
        elif what == "notice":
            notices.append(f"{body.component}: {body.text}")
        elif what == "process_end":
            process.end = body.how
        elif what == "trace_end":
            complete = body.complete
        elif what == "arguments":
            add_arguments(process, body, arguments)
        elif what == "unintercepted":
            unintercepted.append((body.reason, body.library, body.file, body.user, body.detail))
        elif what == "activities":
            add_activities(process, body, executions)
        elif what == "gap":
            gap = Gap(number, body.reason, LEVELS.get(body.level, "?"), body.begin_ns, body.end_ns, body.detail)
            gaps[number, gap.reason, gap.level, gap.begin] = gap
        elif what == "device":
            named = fields_of(body, "index", "name", "uuid", "multiprocessors", "memory_bytes", "clock_khz", "memory_clock_khz",
                              "memory_bus_bits", "driver_version", "cupti_version", "chip")  # fmt: skip
            devices.append({"process": number, "major": body.compute_capability_major, "minor": body.compute_capability_minor,
                            **named})  # fmt: skip
        elif what == "counters":
            add_counters(process, body, counters)
        elif what == "sampling":
            process.sampling = fields_of(body, "every", "seen", "recorded", "is_adaptive")
        elif what == "overhead":
            process.overhead = fields_of(body, "wall_ns", "cpu_ns", "hooks_ns", "threads_ns", "hooks_timed", "calls_ns")
        elif what == "used_library":
            used_libraries.append((process.pid, body.library, body.file))
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
