"""Writes messages of proto/trace.proto as bytes, by field name, and bytes that are no message. For guests and traces made
up by tests, some valid and some not."""
from .trace_messages import proto


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return value << 1 if value >= 0 else -value * 2 - 1


def number(field, value):
    """A field that is a number; 0 is written, too."""
    return varint(field << 3) + varint(value)


def blob(field, value):
    """A length-delimited field: bytes, a text, or an already encoded message."""
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def message(kind, **values):
    """The bytes of a message of this class. A list of numbers is a column, any other list a repeated field; what is 0 or
    empty is left out. Signed numbers must already be zigzag() values."""
    parts = []
    for name, value in values.items():
        field = getattr(kind, f"{name.upper()}_FIELD_NUMBER")
        if isinstance(value, list) and value and isinstance(value[0], int):
            parts.append(blob(field, b"".join(map(varint, value))))
        elif isinstance(value, list):
            parts.extend(blob(field, entry) for entry in value)
        elif isinstance(value, (bytes, str)):
            parts.append(blob(field, value))
        elif value:
            parts.append(number(field, int(value)))
    return b"".join(parts)


def packet(process=0, sequence=0, **body):
    """A packet of a trace or of the socket: its body's name with the bytes of its message."""
    return message(proto.Trace, packet=message(proto.Packet, process=process, sequence=sequence, **body))
