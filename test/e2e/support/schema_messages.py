"""The messages of a .proto file, from its text alone, read as protoc's module reads them: for machines without protoc and
its runtime, such as those where scripts/gpu-acceptance runs. Only decodes; knows the language as far as proto/trace.proto uses it.
"""
import re
import struct

TOKEN = re.compile(r'"[^"]*"|[\w.]+|[^\s\w]')
VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5


def varint(data, at):
    """(value, where it ends)."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def unzigzag(value):
    return (value >> 1) ^ -(value & 1)


def fields(data):
    """(number, raw value) of each field: an int, or the bytes of a length-delimited or fixed-size one."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == VARINT:
            value, at = varint(data, at)
        else:
            if wire == BYTES:
                size, at = varint(data, at)
            elif wire in (EIGHT_BYTES, FOUR_BYTES):
                size = 8 if wire == EIGHT_BYTES else 4
            else:
                raise ValueError(f"wire type {wire}")
            value, at = data[at : at + size], at + size
            if len(value) < size:
                raise ValueError("a field is longer than its message")
        yield tag >> 3, value


def all_varints(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


CONVERSIONS = {"bool": bool, "sint32": unzigzag, "sint64": unzigzag, "string": lambda raw: raw.decode(errors="replace"),
               "double": lambda raw: struct.unpack("<d", raw)[0]}  # fmt: skip
DEFAULTS = {"bool": False, "string": "", "bytes": b"", "double": 0.0}


class Field:
    def __init__(self, name, type_name, repeated, group):
        self.name, self.type_name, self.repeated, self.group = name, type_name, repeated, group
        self.message = None  # its class, if it is one
        self.convert = CONVERSIONS.get(type_name)

    def values(self, raw):
        """The values of one occurrence of the field: several if it is packed."""
        if self.message:
            return [self.message.FromString(raw)]
        if self.repeated and isinstance(raw, bytes) and self.type_name not in ("string", "bytes"):
            if self.type_name == "double":
                return list(struct.unpack(f"<{len(raw) // 8}d", raw))
            raws = all_varints(raw)
        else:
            raws = [raw]
        return [self.convert(value) for value in raws] if self.convert else raws

    def default(self):
        return self.message() if self.message else DEFAULTS.get(self.type_name, 0)


class Message:
    """The part of protobuf's interface that readers need. Missing fields have their default. A field is decoded on demand,
    so that the heads of batches can be read in traces with millions of spans."""

    numbers, names = {}, {}  # Field by number and by name

    def __init__(self):
        self._raw = {}  # name -> raw values read

    @classmethod
    def FromString(cls, data):
        message = cls()
        for number, raw in fields(data):
            if number in cls.numbers:
                message._raw.setdefault(cls.numbers[number].name, []).append(raw)
        return message

    def __getattr__(self, name):
        if name not in self.names:
            raise AttributeError(f"{type(self).__name__} has no field {name}")
        field = self.names[name]
        values = [value for raw in self._raw.get(name, []) for value in field.values(raw)]
        decoded = values if field.repeated else values[-1] if values else field.default()
        self.__dict__[name] = decoded
        return decoded

    def HasField(self, name):
        return name in self._raw

    def WhichOneof(self, group):
        return next((name for name in self._raw if self.names[name].group == group), None)


class Schema:
    """Messages of the file as classes, and the values of its enumerations, as attributes."""

    def __init__(self, text):
        self._tokens = TOKEN.findall(re.sub(r"//.*", "", text))
        self._at = 0
        self._unresolved = []  # (field, the classes around it, innermost first)
        while self._at < len(self._tokens):
            self._read_statement(self, None, [])
        for field, scopes in self._unresolved:
            found = (getattr(scope, field.type_name, None) for scope in (*scopes, self))
            field.message = next((c for c in found if isinstance(c, type)), None)

    def _next(self):
        self._at += 1
        return self._tokens[self._at - 1]

    def _skip_to(self, end):
        while self._next() != end:
            pass

    def _read_statement(self, scope, group, scopes):
        """One of the file, or of the block of `scope`, whose class is the first of `scopes`."""
        word = self._next()
        if word == "message":
            name = self._next()
            message = type(name, (Message,), {"numbers": {}, "names": {}})
            setattr(scope, name, message)
            self._read_block(message, None, [message, *scopes])
        elif word == "oneof":
            self._read_block(scope, self._next(), scopes)
        elif word == "enum":
            self._next()
            self._next()
            while (name := self._next()) != "}":
                self._next()
                setattr(scope, name, int(self._next()))
                self._skip_to(";")
        elif scope is self or word in ("reserved", "option"):
            self._skip_to(";")
        elif word == "map":
            self._skip_to(";")  # no reader needs one
        else:
            type_name = self._next() if word in ("repeated", "optional") else word
            field = Field(self._next(), type_name, word == "repeated", group)
            self._next()
            number = int(self._next())
            scope.numbers[number] = scope.names[field.name] = field
            setattr(scope, f"{field.name.upper()}_FIELD_NUMBER", number)
            self._unresolved.append((field, scopes))
            self._skip_to(";")

    def _read_block(self, scope, group, scopes):
        self._next()
        while self._tokens[self._at] != "}":
            self._read_statement(scope, group, scopes)
        self._next()
