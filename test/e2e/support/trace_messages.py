"""`proto`: the messages and enumerators of proto/trace.proto as protoc's Python module has them. It is generated in the
build folder, and needs python3-protobuf. If either is missing, as on the bare GPU machine where scripts/gpu-acceptance
reads traces, the same names come from the text of trace.proto.
"""
import importlib.util
import os
from pathlib import Path

from .schema_messages import Schema, unzigzag, varint

SOURCE = Path(os.environ.get("XSP_SOURCE_DIR", Path(__file__).resolve().parents[3]))
BUILD = Path(os.environ.get("XSP_BUILD_DIR", SOURCE / "build"))
PROTO = SOURCE / "proto/trace.proto"
GENERATED = BUILD / "test/e2e/trace_pb2.py"
PACKET = b"\x0a"  # before the length of each packet: the only field of a trace


def generated_module():
    """protoc's module, or None."""
    if not GENERATED.exists():
        return None
    specification = importlib.util.spec_from_file_location("trace_pb2", GENERATED)
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except ImportError:
        return None
    return module


proto = generated_module() or Schema(PROTO.read_text(encoding="utf-8"))


def packets(data):
    """(offset, Packet) for each packet, except one that is cut off at the end."""
    at = 0
    while at < len(data):
        begin = at
        if data[at : at + 1] != PACKET:
            raise ValueError(f"no packet at byte {at}")
        try:
            size, at = varint(data, at + 1)
        except IndexError:
            return
        if at + size > len(data):
            return
        yield begin, proto.Packet.FromString(data[at : at + size])
        at += size


def column(values, count):
    """A column of `count` entries; one that is absent is all zeros."""
    if values and len(values) != count:
        raise ValueError(f"a column has {len(values)} of {count} values")
    return list(values) or [0] * count


def distances(values, count):
    """A column of 1 + zigzag of the difference to the last value that was not 0."""
    result, last = [], 0
    for value in column(values, count):
        if value:
            last += unzigzag(value - 1)
        result.append(last if value else 0)
    return result
