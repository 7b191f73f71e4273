"""What ran on the device by the wire format of proto/trace.proto, each with the call that launched it. Beside xsp-report, so
that a mistake of its tables does not go unseen.
"""
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from trace_reader import column, fields_of, one, read_trace, unzigzag, varint  # noqa: E402

KERNEL, MEMCPY, MEMSET, SYNCHRONIZATION, MEMORY, OVERHEAD, STREAM_INTERVAL = range(13, 20)
RUNTIME_CALL, DRIVER_CALL = 9, 12
OTHER_PROFILER = 1


@dataclass
class Execution:
    process: int
    kind: int
    name: str
    configuration: str
    begin: int
    end: int
    device: int
    stream: int
    bytes: int
    correlation: int
    graph_node: int
    graph: int
    launch: object = None  # Span of the call
    capture: object = None  # Span that made the graph's node


@dataclass
class Gap:
    process: int
    reason: int
    begin: int
    end: int
    detail: str


@dataclass
class Device:
    index: int
    name: str
    driver_version: int
    cupti_version: int


class DeviceTrace:
    """Spans as read_trace gives them, and what the device did."""

    def __init__(self, path):
        self.path = Path(path)
        self.host = read_trace(path)
        self.executions, self.gaps, self.devices = [], [], []
        self._spans = {(s.process, s.ring, s.id): s for s in self.host.spans if s.id}
        self._strings = defaultdict(dict)
        for number, body in packets(path):
            self._packet(number, fields_of(body))
        self.executions.sort(key=lambda e: (e.begin, e.end))

    def of_kind(self, *kinds):
        return [e for e in self.executions if e.kind in kinds]

    def why_missing(self, otherwise):
        """What the trace itself says about missing kernels."""
        return "; ".join([*self.host.notices, *(f"gap: {gap.detail}" for gap in self.gaps)]) or otherwise

    def kernels(self):
        return self.of_kind(KERNEL)

    def outermost_models(self):
        """Model spans inside no other span of their thread, in order."""
        models = sorted((s for s in self.host.spans if s.level == "model"), key=lambda s: (s.process, s.begin, -s.end))
        found, ends = [], {}
        for span in models:
            if span.begin >= ends.get((span.process, span.thread), 0):
                found.append(span)
                ends[span.process, span.thread] = span.end
        return sorted(found, key=lambda s: s.begin)

    def ancestors(self, span):
        """The span itself, then outwards."""
        while span is not None:
            yield span
            span = self._spans.get((span.process, span.ring, span.parent)) if span.parent else None

    def launched_in(self, span, kinds=(KERNEL,)):
        """Executions whose launch began inside the span's interval, in its process, on any thread."""
        return [e for e in self.executions if e.kind in kinds and e.process == span.process and e.launch is not None
                and span.begin <= e.launch.begin < span.end]

    def _packet(self, process, packet):
        if 5 in packet:
            f = fields_of(packet[5][0])
            for i, raw in enumerate(f.get(2, [])):
                self._strings[process][one(f, 1) + i] = raw.decode(errors="replace")
        elif 18 in packet:
            self._activities(process, fields_of(packet[18][0]))
        elif 20 in packet:
            f = fields_of(packet[20][0])
            gap = Gap(process, one(f, 1), one(f, 3), one(f, 4), one(f, 5, b"").decode(errors="replace"))
            key = lambda g: (g.process, g.reason, g.begin)
            self.gaps = [g for g in self.gaps if key(g) != key(gap)] + [gap]
        elif 21 in packet:
            f = fields_of(packet[21][0])
            self.devices.append(Device(one(f, 1), one(f, 2, b"").decode(errors="replace"), one(f, 11), one(f, 12)))

    def _activities(self, process, f):
        count = one(f, 4)
        strings = self._strings[process]
        queues = [fields_of(raw) for raw in f.get(6, [])] or [fields_of(b"")]
        columns = {n: column(f, n, count) for n in (7, 8, 9, 10, 11, 12, 13, 16, 19, 21)}
        correlations, nodes, launches, captures = (differences(column(f, n, count)) for n in (14, 15, 20, 22))
        begin = 0
        for i in range(count):
            begin += unzigzag(columns[8][i])
            queue = queues[columns[7][i]] if columns[7][i] < len(queues) else queues[0]
            self.executions.append(Execution(
                process, columns[10][i] >> 3, strings.get(columns[11][i], ""), strings.get(columns[12][i], ""), begin,
                begin + columns[9][i], one(queue, 1), one(queue, 3), columns[13][i], correlations[i] or 0, nodes[i] or 0,
                columns[16][i], self._span(process, columns[19][i], launches[i]),
                self._span(process, columns[21][i], captures[i])))

    def _span(self, process, ring, span):
        return self._spans.get((process, ring - 1, span)) if ring and span is not None else None


def differences(values):
    """A column of 1 + zigzag of the difference to the last value, 0 for none."""
    last, found = 0, []
    for value in values:
        if value:
            last += unzigzag(value - 1)
        found.append(last if value else None)
    return found


def packets(path):
    """(process, packet) of a trace; a torn tail is left out."""
    data = Path(path).read_bytes()
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag != 0x0A:
            return
        size, at = varint(data, at)
        if at + size > len(data):
            return
        body = data[at : at + size]
        yield one(fields_of(body), 1), body
        at += size
