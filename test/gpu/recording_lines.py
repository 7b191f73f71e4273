"""Reads a recording of CUPTI, made by programs/cupti_recorder.cc or written by hand (doc/recorder.md): its lines, its records,
its clock. Knows nothing of XSP.
"""
import bisect
import gzip
from dataclasses import dataclass, field
from urllib.parse import unquote

from recording_layout import KINDS, number, read_record

DRIVER, RUNTIME = 1, 2
NODE_CREATED, NODE_CLONED, EXEC_CREATED = 13, 20, 18
# CUPTI's clock less CLOCK_MONOTONIC where a recording has no reading of it.
DEFAULT_OFFSET = 1_700_000_000_000_000_000
TEXTS = ("name", "symbol", "message", "variant", "what", "value")  # fields that are texts


@dataclass
class Line:
    """One line: its word and what is behind it. An attribute that the line lacks is 0, or "" of a text."""
    word: str
    fields: dict
    order: int
    t: int = 0
    thread: int = 0
    name: str = ""

    def __getitem__(self, key):
        return number(self.fields.get(key, "0"))

    def __contains__(self, key):
        return key in self.fields

    @property
    def is_enter(self):
        return self.fields.get("site") == "enter"

    @property
    def inside(self):
        """(domain, callback, correlation) of the innermost call on its thread; None: it came outside of any."""
        text = self.fields.get("inside")
        return tuple(int(part) for part in text.split(":")) if text else None


@dataclass
class Buffer:
    number: int
    requested: Line = None
    completed: Line = None
    records: list = field(default_factory=list)
    walk: int = 12
    left_out: int = 0  # kernels for which the file had no room, and those of them without times
    left_out_zero: int = 0


@dataclass
class Call:
    """A call of the API from its enter to its exit."""
    domain: int
    id: int
    name: str
    thread: int
    correlation: int
    symbol: str
    begin: int
    end: int = 0
    outer: "Call" = None

    @property
    def is_graph_launch(self):
        return "GraphLaunch" in self.name

    @property
    def is_launch(self):
        return self.is_graph_launch or "LaunchKernel" in self.name or "LaunchCooperative" in self.name


class Recording:
    """`lines` in the order of their times, `calls`, `buffers` by number, `records` in the order of their buffers' completion."""

    def __init__(self, text):
        self.lines, self.buffers, self.texts, self._pending, self._by_word = [], {}, {}, [], {}
        self.head = Line("recording", {}, 0)
        for order, line in enumerate(text.splitlines()):
            self._read(line, order)
        self.lines.sort(key=lambda line: (line.t, line.order))
        if self.lines and "thread" not in self.head.fields:
            self.head.thread = self.lines[0].thread
        clocks = sorted((line.t, line["cupti"] - line.t) for line in self.of("clock"))
        self._clock_times, self._offsets = [t for t, _ in clocks], [offset for _, offset in clocks]
        for fields, buffer in self._pending:
            buffer.records.append(read_record(fields, self))
        self.calls = self._pair_calls()
        handed_over = sorted((b for b in self.buffers.values() if b.completed), key=lambda b: (b.completed.t, b.completed.order))
        self.completed = handed_over
        self.records = [record for buffer in handed_over for record in buffer.records]

    def _read(self, text, order):
        parts = text.split("#", 1)[0].split()
        if not parts:
            return
        word, *rest = parts
        fields = dict(part.split("=", 1) for part in rest if "=" in part)
        if word == "text":
            self.texts[fields["id"]] = unquote(fields["is"])
            return
        for key in TEXTS:
            value = fields.get(key, "")
            if value:
                fields[key] = self.texts.get(value[1:], "?") if value[0] == "@" else unquote(value)
        if word == "record":
            fields.setdefault("kind", rest[0] if rest else "")
            self._pending.append((fields, self._buffer(fields)))
            return
        if word == "walked":
            buffer = self._buffer(fields)
            buffer.walk = number(fields["walk"])
            buffer.left_out, buffer.left_out_zero = (number(fields.get(key, "0")) for key in ("left_out", "left_out_zero"))
            return
        line = Line(word, fields, order, number(fields.get("t", "0")), number(fields.get("thread", "0")), fields.get("name", ""))
        if word == "recording":
            self.head = line
        elif word == "call":
            self.lines.append(Line("callback", {**fields, "site": "enter"}, order, line.t, line.thread, line.name))
            exit_fields = {"result": "0", **fields, "site": "exit"}
            self.lines.append(Line("callback", exit_fields, order, number(fields["until"]), line.thread, line.name))
        else:
            self.lines.append(line)
        if word in ("requested", "completed"):
            setattr(self._buffer(fields), word, line)

    def _buffer(self, fields):
        key = number(fields["buffer"])
        return self.buffers.setdefault(key, Buffer(key))

    def _pair_calls(self):
        calls, stacks = [], {}
        for line in self.of("callback"):
            stack = stacks.setdefault(line.thread, [])
            if line.is_enter:
                call = Call(line["domain"], line["id"], line.name, line.thread, line["correlation"],
                            line.fields.get("symbol", ""), line.t, outer=stack[-1] if stack else None)  # fmt: skip
                calls.append(call)
                stack.append(call)
                continue
            key = (line["domain"], line["id"], line["correlation"])
            for i in reversed(range(len(stack))):
                if (stack[i].domain, stack[i].id, stack[i].correlation) == key:
                    stack[i].end = line.t
                    del stack[i:]
                    break
        return calls

    def of(self, *words):
        """Lines with these words, in the order of their times."""
        if not self._by_word:
            for line in self.lines:
                self._by_word.setdefault(line.word, []).append(line)
        if len(words) == 1:
            return self._by_word.get(words[0], [])
        return [line for line in self.lines if line.word in words]

    @property
    def version(self):
        return self.head["cupti_version"]

    def offset_at(self, t):
        """CUPTI's clock less CLOCK_MONOTONIC: between two readings on the line through both."""
        if not self._offsets:
            return DEFAULT_OFFSET
        i = bisect.bisect(self._clock_times, t)
        if i == 0 or i == len(self._offsets):
            return self._offsets[min(i, len(self._offsets) - 1)]
        (t0, t1), (o0, o1) = self._clock_times[i - 1:i + 1], self._offsets[i - 1:i + 1]
        return o0 + (o1 - o0) * (t - t0) // (t1 - t0)

    def steady(self, cupti):
        """CLOCK_MONOTONIC of a time of CUPTI's."""
        t = cupti - (self._offsets or [DEFAULT_OFFSET])[0]
        for _ in range(4):  # offsets hardly change: this soon stays where it is
            t = cupti - self.offset_at(t)
        return t

    def kernels(self):
        return [record for record in self.records if record.kind in (KINDS["kernel"], KINDS["serial_kernel"])]

    def executions(self):
        """Records of what ran on a device: kernels, copies, memsets."""
        return [record for record in self.records if record.is_execution]


def read_recording(path):
    """The recording in a file, which may be packed (.gz); of one that was cut off in the middle of a line all but that."""
    opening = gzip.open if str(path).endswith(".gz") else open
    with opening(path, "rt", encoding="utf-8", errors="replace") as file:
        text = file.read()
    return Recording(text[:text.rfind("\n") + 1])
