"""Activity records of CUPTI as the recordings' reader takes them apart: offsets and sizes of cupti_activity.h and
cupti_activity_deprecated.h, CUDA 11.8 to 13.1, written down apart from inject/cupti/library/activity_abi.h so that a mistake of one is
seen by the other.
"""
import re
import struct
from dataclasses import dataclass

KINDS = {"memcpy": 1, "memset": 2, "serial_kernel": 3, "driver": 4, "runtime": 5, "kernel": 10, "overhead": 17, "peer_memcpy": 22,
         "synchronization": 38, "memory": 49}  # fmt: skip
NAMES = {number: name for name, number in KINDS.items()}
EXECUTIONS = ("kernel", "serial_kernel", "memcpy", "peer_memcpy", "memset")
# field: (offset, struct's letter), by kind.
_KERNEL = {"start": (16, "Q"), "end": (24, "Q"), "device": (40, "I"), "context": (44, "I"), "stream": (48, "I"),
           "correlation": (92, "I"), "graph_node": (144, "Q"), "graph": (156, "I")}  # fmt: skip
_COPY = {"bytes": (8, "Q"), "start": (16, "Q"), "end": (24, "Q"), "device": (32, "I"), "context": (36, "I"), "stream": (40, "I"),
         "correlation": (44, "I"), "graph_node": (64, "Q"), "graph": (72, "I")}  # fmt: skip
_CALL = {"callback": (4, "I"), "start": (8, "Q"), "end": (16, "Q"), "thread": (28, "I"), "correlation": (32, "I"), "result": (36, "I")}
FIELDS = {
    "kernel": _KERNEL, "serial_kernel": _KERNEL, "memcpy": _COPY, "memset": _COPY, "driver": _CALL, "runtime": _CALL,
    "peer_memcpy": {**_COPY, "correlation": (60, "I"), "graph_node": (72, "Q"), "graph": (80, "I")},
    "synchronization": {"type": (4, "I"), "start": (8, "Q"), "end": (16, "Q"), "correlation": (24, "I"), "context": (28, "I"),
                        "stream": (32, "I")},
    "overhead": {"overhead": (4, "I"), "start": (24, "Q"), "end": (32, "Q")},
    "memory": {"operation": (4, "I"), "correlation": (12, "I"), "bytes": (24, "Q"), "start": (32, "Q"), "end": (32, "Q"),
               "device": (52, "I"), "context": (56, "I"), "stream": (60, "I")},
}  # fmt: skip
# By kind: (first version of CUPTI, size), the newest first, as the walk of NVIDIA's libraries 11.8 to 13.1 steps. 18 is both 11.8 and
# 12.1, whose kernels differ; 19 and 20 were not asked: all sizes.
_SIZES = {
    "kernel": [(130400, None), (130100, 224), (130000, 216), (19, 208), (18, (200, 208))],
    "memcpy": [(26, 96), (18, 88)],
    "peer_memcpy": [(18, 96)],
    "memset": [(18, 88)],
    "driver": [(18, 40)], "runtime": [(18, 40)],
    "synchronization": [(26, 56), (18, 40)],
    "overhead": [(22, 56), (21, 48), (18, (40, 48))],
    "memory": [(24, 128), (18, 120)],
}  # fmt: skip


UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "": 1}


def number(text):
    """A whole number, or a time with its unit in ns: `1500`, `1.5us`, `2ms`."""
    if text.isdigit():
        return int(text)
    match = re.fullmatch(r"(-?[0-9]+)(\.[0-9]+)?(ns|us|ms|s|)", text)
    if match is None:
        raise ValueError(f"{text} is no number")
    whole, part, unit = match.groups()
    return int(whole) * UNITS[unit] + (round(float(part) * UNITS[unit]) if part else 0)


def expected_sizes(kind, version):
    """Sizes that the headers give a record of the kind in that version; (): not known."""
    name = "kernel" if kind == KINDS["serial_kernel"] else NAMES.get(kind, "")
    for first, size in _SIZES.get(name, []):
        if version >= first:
            return size if isinstance(size, tuple) else () if size is None else (size,)
    return ()


@dataclass
class Record:
    kind: int
    size: int
    buffer: int
    name: str = ""
    start: int = 0
    end: int = 0
    device: int = 0
    context: int = 0
    stream: int = 0
    correlation: int = 0
    graph_node: int = 0
    graph: int = 0
    bytes: int = 0
    callback: int = 0
    thread: int = 0
    is_cut: bool = False  # its buffer ends before it does
    raw: bytes = b""

    @property
    def kind_name(self):
        return NAMES.get(self.kind, str(self.kind))

    @property
    def is_known(self):
        """CUPTI walks over it: what a device recorded was walked over."""
        return bool(self.raw) or self.kind in NAMES

    @property
    def is_execution(self):
        return self.kind_name in EXECUTIONS and not self.is_cut

    @property
    def has_times(self):
        return self.start != 0 and self.end != 0

    @property
    def is_inverted(self):
        return self.has_times and self.end < self.start


def read_record(fields, recording):
    """Of a `record` line: raw bytes, or fields by name, whose times are the recording's own (0 stays 0)."""
    named = fields["kind"]
    kind = KINDS[named] if named in KINDS else number(named)
    record = Record(kind, number(fields.get("size", "0")), number(fields["buffer"]), fields.get("name", ""))
    known = FIELDS.get(NAMES.get(kind, ""), {})
    least = max((offset + struct.calcsize(letter) for offset, letter in known.values()), default=0)
    if "hex" in fields:
        record.raw = bytes.fromhex(fields["hex"])
        record.is_cut = len(record.raw) < least
        for key, (offset, letter) in known.items():
            if hasattr(record, key) and offset + struct.calcsize(letter) <= len(record.raw):
                setattr(record, key, *struct.unpack_from("<" + letter, record.raw, offset))
        return record
    record.size = record.size or next(iter(expected_sizes(kind, recording.version)), 0)
    record.is_cut = "cut" in fields
    for key in known:
        if hasattr(record, key) and key in fields:
            setattr(record, key, number(fields[key]))
    if kind == KINDS["memory"]:
        record.end = record.start
    for key in ("start", "end"):
        time = getattr(record, key)
        setattr(record, key, time and time + recording.offset_at(time))
    return record
