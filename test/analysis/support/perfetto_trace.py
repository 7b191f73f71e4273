"""Reads a Perfetto trace by field numbers and checks Perfetto's rules: interned before use, slices that nest and end,
tracks and flows that exist. Field numbers are those of protos/perfetto/trace in google/perfetto.
"""
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../e2e"))
from support.schema_messages import fields  # noqa: E402

SLICE_BEGIN, SLICE_END = 1, 2
NEEDS_STATE = 2


class Slice:
    def __init__(self, **members):
        self.__dict__.update(members)


class PerfettoTrace:
    """`slices` in order of the file, each with its track, name, category and annotations; `tracks` by uuid."""

    def __init__(self, data):
        self.slices, self.tracks, self.flows, self.problems = [], {}, {}, []
        self.primary_clock = None
        self._interned = {}
        self._open = {}
        self._last = {}
        for number, packet in fields(data):
            if number != 1:
                self.problems.append(f"field {number} of the trace")
            self._read_packet(packet)
        for uuid, open_slices in self._open.items():
            if open_slices:
                self.problems.append(f"{len(open_slices)} slices of track {uuid} do not end")
        for flow, (begins, ends) in self.flows.items():
            if begins != 1 or ends != 1:
                self.problems.append(f"flow {flow} leaves {begins} slices and reaches {ends}")
        for track in self.tracks.values():
            if track["parent"] and track["parent"] not in self.tracks:
                self.problems.append(f"the parent of track {track['name']} is not described")

    def path(self, uuid):
        """Names from the outermost track on."""
        track = self.tracks[uuid]
        return (self.path(track["parent"]) if track["parent"] else []) + [track["name"]]

    def _read_packet(self, data):
        packet = {}
        for number, value in fields(data):
            packet[number] = value
        sequence = packet.get(10)
        if not sequence:
            self.problems.append("packet without a sequence")
        if packet.get(13, 0) & 1:
            self._interned[sequence] = {}
        if 6 in packet:
            self.primary_clock = dict(fields(packet[6]))[2]
        if 12 in packet:
            self._read_interned(sequence, packet[12])
        if 60 in packet:
            self._read_track(packet[60])
        if 11 in packet:
            self._read_event(sequence, packet)

    def _read_interned(self, sequence, data):
        if sequence not in self._interned:
            self.problems.append("interned data before the state of the sequence")
            self._interned[sequence] = {}
        for index, entry in fields(data):
            entry = dict(fields(entry))
            key = (index, entry[1])
            if entry[1] == 0 or key in self._interned[sequence]:
                self.problems.append(f"interned twice or without a number: {key}")
            self._interned[sequence][key] = entry[2].decode()

    def _text(self, sequence, index, iid):
        text = self._interned.get(sequence, {}).get((index, iid))
        if text is None:
            self.problems.append(f"not interned: {iid} of field {index}")
        return text

    def _read_track(self, data):
        track = dict(fields(data))
        process, thread = dict(fields(track.get(3, b""))), dict(fields(track.get(4, b"")))
        if track[1] == 0 or track[1] in self.tracks:
            self.problems.append(f"track {track[1]} is described twice")
        name = track.get(2, process.get(6, b"")).decode() or (f"thread {thread[2]}" if thread else "")
        self.tracks[track[1]] = {"name": name, "parent": track.get(5, 0), "process": process, "thread": thread}

    def _read_event(self, sequence, packet):
        event, flows, annotations = {}, [], {}
        for number, value in fields(packet[11]):
            if number in (47, 48):
                flows.append((number, struct.unpack("<Q", value)[0]))
            elif number == 4:
                key, value = self._annotation(sequence, value)
                if key in annotations:
                    self.problems.append(f"annotation {key} twice")
                annotations[key] = value
            else:
                event[number] = value
        track, time = event.get(11), packet.get(8)
        if track not in self.tracks:
            self.problems.append(f"event of a track that is not described: {track}")
        if time is None or time < self._last.get(track, 0):
            self.problems.append(f"times of track {track} go back")
        self._last[track] = time
        open_slices = self._open.setdefault(track, [])
        if event.get(9) == SLICE_BEGIN:
            if not packet.get(13, 0) & NEEDS_STATE:
                self.problems.append("event that uses interned data and does not say so")
            name, category = self._text(sequence, 2, event[10]), self._text(sequence, 1, event[3])
            begun = Slice(track=track, begin=time, end=None, name=name, category=category, annotations=annotations,
                          flows=flows, depth=len(open_slices))  # fmt: skip
            for kind, flow in flows:
                ends = self.flows.setdefault(flow, [0, 0])
                ends[kind == 48] += 1
            open_slices.append(begun)
            self.slices.append(begun)
        elif event.get(9) == SLICE_END:
            if not open_slices:
                self.problems.append(f"end of no slice on track {track}")
            else:
                open_slices.pop().end = time
        else:
            self.problems.append(f"event of type {event.get(9)}")

    def _annotation(self, sequence, data):
        name, values = None, []
        for number, value in fields(data):
            if number == 1:
                name = self._text(sequence, 3, value)
            else:
                values.append((number, value))
        if any(number == 11 for number, _ in values):
            return name, dict(self._annotation(sequence, value) for _, value in values)
        if len(values) != 1:
            self.problems.append(f"annotation {name} has {len(values)} values")
        number, value = values[0]
        if number == 17:
            return name, self._text(sequence, 29, value)
        if number == 5:
            return name, struct.unpack("<d", value)[0]
        return name, value - (1 << 64) if number == 4 and value >> 63 else value
