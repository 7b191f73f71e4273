"""Reads what xsp-import writes, for the tests that compare it with its input: the packets of proto/trace.proto as lists of
spans and executions. Read with no library, so that nothing of what is tested reads it.
"""
import os
import subprocess
import sys
import tempfile

OPERATOR, ANNOTATION, MODULE, PYTHON_FUNCTION = 20, 22, 2, 21
RUNTIME_CALL, DRIVER_CALL, KERNEL, MEMCPY, MEMSET, SYNCHRONIZATION = 9, 12, 13, 14, 15, 16
RUNTIME_LEVEL = 5
REMOVED = 13


def shared_data(root):
    return os.environ.get("XSP_SHARED_DATA", os.path.join(root, "..", "shared", "data"))


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of a message; bytes for what has a length."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 1:
            value, at = data[at : at + 8], at + 8
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def numbers(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def signed(value):
    return (value >> 1) ^ -(value & 1)


def summed(values):
    total, sums = 0, []
    for value in values:
        total += signed(value)
        sums.append(total)
    return sums


def distances(values):
    """1 + zigzag of the difference to the last one; 0: none."""
    last, decoded = 0, []
    for value in values:
        if value != 0:
            last += signed(value - 1)
        decoded.append(last if value != 0 else 0)
    return decoded


class Record:
    """A span or an execution: key is (process, ring, id) of a span, parent and launch are keys or None."""

    def __init__(self, **members):
        self.__dict__.update(members)

    @property
    def duration(self):
        return self.end - self.begin


class ImportedTrace:
    def __init__(self, data):
        self.spans, self.executions, self.headers, self.notices = [], [], [], []
        self.processes = {}
        self.lost = {}  # by process and Loss.Reason
        texts = {}
        for _, packet in fields(data):
            body = dict(fields(packet))
            process = body.get(1, 0)
            if 3 in body:
                self.headers.append(body[3])
            if 4 in body:
                self.processes[process] = dict(fields(body[4]))
            if 5 in body:
                first = 0
                for number, value in fields(body[5]):
                    if number == 1:
                        first = value
                    else:
                        texts[process, first] = value.decode()
                        first += 1
            if 6 in body:
                self._read_spans(process, body[6], texts)
            if 10 in body:
                loss = dict(fields(body[10]))
                self.lost[process, loss[1]] = loss[2]
            if 18 in body:
                self._read_executions(process, body[18], texts)
        self.by_key = {span.key: span for span in self.spans}

    def _read_spans(self, process, batch, texts):
        head = dict(fields(batch))
        count, ring = head.get(5, 0), head.get(2, 0)
        column = lambda field: numbers(head[field]) if field in head else [0] * count
        ids, begins, durations = summed(column(9)), summed(column(7)), column(8)
        forwards = distances(column(24))
        for i, (parent, level_kind, name, kind, moved, correlation, forward_ring) in enumerate(
            zip(column(10), column(11), column(12), column(13), column(16), distances(column(22)), column(23))
        ):  # fmt: skip
            self.spans.append(Record(
                key=(process, ring, ids[i]), parent=(process, ring, ids[i] - parent) if parent else None,
                thread=head.get(1, 0), begin=begins[i], end=begins[i] + durations[i], level=level_kind & 7, kind=level_kind >> 3,
                name=texts.get((process, name), ""), type=texts.get((process, kind), ""), bytes=moved, correlation=correlation,
                forward=(process, forward_ring - 1, forwards[i]) if forward_ring else None))  # fmt: skip

    def _read_executions(self, process, batch, texts):
        head, queues = {}, []
        for number, value in fields(batch):
            if number == 6:
                queue = dict(fields(value))
                queues.append((queue.get(1, 0), queue.get(2, 0), queue.get(3, 0)))
            else:
                head[number] = value
        count = head.get(4, 0)
        column = lambda field: numbers(head[field]) if field in head else [0] * count
        begins, durations, launches = summed(column(8)), column(9), distances(column(20))
        for i, (queue, level_kind, name, configuration, moved, correlation, launch_ring) in enumerate(
            zip(column(7), column(10), column(11), column(12), column(13), distances(column(14)), column(19))
        ):  # fmt: skip
            device, context, stream = queues[queue]
            self.executions.append(Record(
                process=process, device=device, context=context, stream=stream, begin=begins[i], end=begins[i] + durations[i],
                kind=level_kind >> 3, name=texts.get((process, name), ""), configuration=texts.get((process, configuration), ""),
                bytes=moved, correlation=correlation,
                launch=(process, launch_ring - 1, launches[i]) if launch_ring else None))  # fmt: skip

    def of_kind(self, kind):
        return [e for e in self.executions if e.kind == kind]

    def enclosing(self, key, kind):
        """The innermost span of that kind that is the one with this key or has it in it."""
        while key is not None:
            span = self.by_key[key]
            if span.kind == kind:
                return span
            key = span.parent
        return None


def import_profile(program, *arguments):
    """The trace that xsp-import makes of profiles; fails the test where it does not."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.pb")
        done = subprocess.run([program, "-q", "-o", path, *arguments], stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"xsp-import {' '.join(arguments)}: exit code {done.returncode}")
        with open(path, "rb") as file:
            return ImportedTrace(file.read())


def covered(intervals):
    """Length of the union of intervals (begin, end)."""
    reached, length = None, 0
    for begin, end in sorted(intervals):
        if reached is None or begin > reached:
            length, reached = length + end - begin, end
        elif end > reached:
            length, reached = length + end - reached, end
    return length
