#!/usr/bin/env python3
"""generate.py PROTOC numbers|messages|readers TRACE_PROTO OUTPUT: C++ for the messages of trace.proto.

numbers   the enumerators and the kinds of packets
messages  for each message a struct with its field numbers and plain fields, and its writer: constants and templates
          only, so that the guest may include them
readers   for each message its reader over protozero

They come from the descriptor that protoc writes, so that trace.proto is the only place that has a number. proto/README.md
says how the names are made.
"""
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

DOUBLE, UINT64, BOOL, STRING, MESSAGE, BYTES, UINT32, ENUM, SINT64 = 1, 4, 8, 9, 11, 12, 13, 14, 18
REPEATED = 3
# Of each plain type the C++ type, the writer's function and the reader's.
PLAIN = {
    DOUBLE: ("double", "float64", "get_double"),
    UINT64: ("uint64_t", "uint64", "get_uint64"),
    BOOL: ("bool", "boolean", "get_bool"),
    STRING: ("Text", "string", "get_view"),
    BYTES: ("Text", "string", "get_view"),
    UINT32: ("uint32_t", "uint64", "get_uint32"),
    ENUM: ("uint32_t", "uint64", "get_uint32"),
    SINT64: ("int64_t", "sint64", "get_sint64"),
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def members(data):
    """(number, value) of the fields of an encoded message; an int or bytes each."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            raise ValueError(f"a descriptor with wire type {tag & 7}")
        yield tag >> 3, value


def first(data, number, default):
    return next((value for n, value in members(data) if n == number), default)


def all_of(data, number):
    return [value for n, value in members(data) if n == number]


def name_of(data):
    return first(data, 1, b"").decode()


def camel(snake):
    return "".join(word.capitalize() for word in snake.split("_"))


@dataclass
class Field:
    """FieldDescriptorProto."""

    name: str
    number: int
    type: int
    repeated: bool
    optional: bool

    @property
    def constant(self):
        return "k" + camel(self.name)

    @property
    def is_plain(self):
        return not self.repeated and self.type != MESSAGE

    @property
    def is_text(self):
        return self.is_plain and self.type in (STRING, BYTES)

    @property
    def is_column(self):
        return self.repeated and self.type not in (STRING, BYTES, MESSAGE)


@dataclass
class Message:
    """DescriptorProto."""

    name: str
    fields: list
    body: str = ""  # enumerator of Body

    @property
    def plain(self):
        return [f for f in self.fields if f.is_plain]

    @property
    def parts(self):
        """Fields that are no members of the struct: columns, messages and what is repeated."""
        return [f for f in self.fields if not f.is_plain]

    @property
    def has_texts(self):
        return any(f.is_text for f in self.fields)

    @property
    def has_columns(self):
        return any(f.is_column for f in self.fields)

    @property
    def is_frame(self):
        """Whether what it holds is read and written packet by packet, not as a message."""
        return self.name in ("Trace", "Packet")

    @property
    def template(self):
        return self.name + "Of" if self.has_texts else self.name

    @property
    def typed(self):
        return self.name + "Of<Text>" if self.has_texts else self.name


@dataclass
class File:
    """FileDescriptorProto: its enums and messages, nested ones by the names of both."""

    enums: list = field(default_factory=list)  # (name, [(enumerator, number)])
    messages: list = field(default_factory=list)

    def add_enum(self, data, scope):
        own = name_of(data)
        prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", own).upper() + "_"
        values = [(name_of(v).removeprefix(prefix), first(v, 2, 0)) for v in all_of(data, 2)]
        self.enums.append((scope + own, sorted((("k" + camel(n.lower()), v) for n, v in values), key=lambda v: v[1])))

    def add_message(self, data, scope=""):
        name = scope + name_of(data)
        for nested in all_of(data, 4):
            self.add_enum(nested, name)
        for nested in all_of(data, 3):
            self.add_message(nested, name)
        self.messages.append(
            Message(name, [Field(name_of(f), first(f, 3, 0), first(f, 5, 0), first(f, 4, 1) == REPEATED, first(f, 17, 0) == 1) for f in all_of(data, 2)])
        )

    def name_bodies(self, data):
        """The messages of Packet.body, in order of their numbers, and which message has which."""
        packet = next(m for m in all_of(data, 4) if name_of(m) == "Packet")
        bodies = []
        for body in all_of(packet, 2):
            if first(body, 9, None) is None:
                continue
            enumerator = "k" + camel(name_of(body))
            bodies.append((enumerator, first(body, 3, 0)))
            type_name = first(body, 6, b"").decode().split(".")[-1]
            next(m for m in self.messages if m.name == type_name).body = enumerator
        self.enums.insert(0, ("Body", [("kNone", 0), *sorted(bodies, key=lambda b: b[1])]))


def describe(protoc, proto):
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "set"
        subprocess.run([protoc, f"--proto_path={proto.parent}", f"--descriptor_set_out={output}", proto], check=True)
        (data,) = all_of(output.read_bytes(), 1)
    file = File()
    for enum in all_of(data, 5):
        file.add_enum(enum, "")
    for message in all_of(data, 4):
        file.add_message(message)
    file.name_bodies(data)
    return file


def numbers(file):
    yield "/// The enumerators of trace.proto. An enumeration that lies in a message has the names of both: Loss.Reason is"
    yield "/// LossReason. Their values are those on the wire; what comes from there may be none of them."
    yield from ["", "#include <cstddef>", "#include <cstdint>", "", "namespace xsp::wire {"]
    for name, values in file.enums:
        yield from ["", f"enum class {name} : {'uint32_t' if name == 'Body' else 'uint8_t'} {{"]
        yield from [f"  {enumerator} = {value}," for enumerator, value in values]
        yield from ["};", f"inline constexpr size_t k{name}Count = {values[-1][1] + 1};"]
    yield from ["", "}  // namespace xsp::wire"]


def struct(message):
    yield ""
    if message.has_texts:
        yield "template <typename Text>"
    yield f"struct {message.template} {{"
    if message.body:
        yield f"  static constexpr Body kBody = Body::{message.body};"
    yield from [f"  static constexpr uint32_t {f.constant} = {f.number};" for f in message.fields]
    yield f"  static constexpr uint32_t kFieldEnd = {max(f.number for f in message.fields) + 1};"
    for f in message.plain:
        kind = PLAIN[f.type][0]
        yield f"  std::optional<{kind}> {f.name}{{}};" if f.optional else f"  {kind} {f.name}{{}};"
    yield f"  bool operator==(const {message.template}&) const = default;"
    yield "};"
    if message.has_texts:
        yield f"using {message.name} = {message.template}<std::string_view>;"


def text_template(message, *others):
    names = (["typename Text"] if message.has_texts else []) + [f"typename {name}" for name in others]
    return [f"template <{', '.join(names)}>"] if names else []


def writer(message):
    parts = message.parts
    template = text_template(message, *("Write" + camel(f.name) for f in parts))
    more = "".join(f", Write{camel(f.name)}&& write_{f.name}" for f in parts)
    named = " writer" if message.plain else ""
    yield ""
    yield from template
    yield f"{'' if template else 'inline '}void write(WireWriter&{named}, const {message.typed}&{' message' if message.plain else ''}{more}) {{"
    for f in message.fields:
        if not f.is_plain:
            yield f"  write_{f.name}();"
        elif f.optional:
            if PLAIN[f.type][1] != "uint64":
                sys.exit(f"{message.name}.{f.name}: optional fields of this type have no writer yet (generate.py)")
            yield f"  if (message.{f.name}) {{"
            yield f"    writer.varint(uint64_t{{message.{f.constant}}} << 3);"
            yield f"    writer.varint(*message.{f.name});"
            yield "  }"
        else:
            yield f"  writer.{PLAIN[f.type][1]}(message.{f.constant}, message.{f.name});"
    yield "}"


def capacity(message):
    texts = "".join(f" + message.{f.name}.size()" for f in message.plain if f.is_text)
    template = text_template(message)
    yield ""
    yield from template
    yield f"{'' if template else 'constexpr '}size_t capacity(const {message.typed}&{' message' if texts else ''}) {{"
    yield f"  return {16 + 12 * len(message.plain)}{texts};"
    yield "}"


def conversion(message):
    if not message.has_texts:
        return
    yield ""
    named = " convert" if any(f.type == STRING for f in message.plain) else ""
    yield "template <typename To, typename Text, typename Convert>"
    yield f"{message.template}<To> convert_texts(const {message.typed}& message, Convert&&{named}) {{"
    yield f"  {message.template}<To> to;"
    for f in message.plain:
        value = f"message.{f.name}"
        if f.is_text:
            value = f"convert({value})" if f.type == STRING else f"To({value})"
        yield f"  to.{f.name} = {value};"
    yield "  return to;"
    yield "}"


def messages(file):
    yield "/// The messages of trace.proto. A struct has the numbers of all fields, and of its plain fields the values; `Text` is"
    yield "/// what holds a string or bytes, of the type without Of a view. Enumerators are numbers, as any may come. What is"
    yield "/// repeated, a column or a message is no member: write() takes a function for each that writes it in its place."
    yield "///"
    yield "/// write() writes a message's fields, without its tag and length. Those that have columns are written by the headers"
    yield "/// of proto/ that are named after them."
    yield "/// capacity() is what write() needs at most, without what its functions write."
    yield "/// convert_texts() gives the same message with other texts: what `convert` makes of each string; bytes are copied."
    yield from ["", "#include <cstddef>", "#include <cstdint>", "#include <optional>", "#include <string_view>", ""]
    yield from ['#include "proto/trace_numbers.h"', '#include "proto/wire_writer.h"', "", "namespace xsp::wire {"]
    for message in file.messages:
        yield from struct(message)
        if not message.is_frame and not message.has_columns:
            yield from writer(message)
            yield from capacity(message)
        if not message.is_frame:
            yield from conversion(message)
    yield from ["", "}  // namespace xsp::wire"]


def reader(message):
    types = (["typename Text"] if message.has_texts else []) + (["typename Take"] if message.parts else [])
    yield ""
    yield f"template <{', '.join(['Mismatch kMismatch = Mismatch::kThrow', *types])}>"
    yield f"{'bool' if message.parts else 'void'} read(std::string_view encoded, {message.typed}*{' message' if message.plain else ''}{', Take&& take' if message.parts else ''}) {{"
    yield f"  using Fields = {message.typed};"
    yield "  protozero::pbf_reader reader(encoded.data(), encoded.size());"
    yield "  while (reader.next()) {"
    yield "    switch (reader.tag_and_type()) {"
    for f in message.plain:
        kind = "fixed64" if f.type == DOUBLE else "delimited" if f.is_text else "number"
        value = f"reader.{PLAIN[f.type][2]}()"
        yield f"      case wire_field::{kind}(Fields::{f.constant}):"
        yield f"        message->{f.name} = {'wire_field::text<Text>(' + value + ')' if f.is_text else value};"
        yield "        break;"
    yield from [f"      case wire_field::delimited(Fields::{f.constant}):" for f in message.parts]
    if message.parts:
        yield "        if (const uint32_t field = reader.tag(); !take(field, wire_field::text<std::string_view>(reader.get_view()))) {"
        yield "          return false;"
        yield "        }"
        yield "        break;"
    yield "      default:"
    mask = sum(1 << f.number for f in message.fields)
    yield f"        wire_field::skip<kMismatch>(reader, {mask:#x});"
    yield "    }"
    yield "  }"
    if message.parts:
        yield "  return true;"
    yield "}"


def readers(file):
    yield "/// Reads the messages of trace.proto: hostile input, in which a field may be missing, repeated or of another type. Of a"
    yield "/// repeated plain field the last one holds, unknown fields are skipped. `take(field, bytes)` gets what is no member, in"
    yield "/// its order: an element, a message or a packed column each; read() is false where `take` is, and only then. Views are"
    yield "/// of `encoded`. Nothing is allocated but for texts that are no views. Throws protozero::exception on broken protobuf."
    yield from ["", "#include <cstdint>", "#include <string_view>", ""]
    yield from ['#include "proto/trace_messages.h"', '#include "proto/wire_fields.h"', "", "namespace xsp::wire {"]
    for message in file.messages:
        if not message.is_frame:
            yield from reader(message)
    yield from ["", "}  // namespace xsp::wire"]


def main():
    protoc, what, proto, output = sys.argv[1:]
    lines = {"numbers": numbers, "messages": messages, "readers": readers}[what](describe(protoc, Path(proto).resolve()))
    head = "#pragma once\n\n// Made by proto/generate.py from proto/trace.proto.\n\n"
    text = head + "\n".join(lines) + "\n"
    # Runs again with every change of a meson.build: a file that is as it was must not look new to what includes it.
    path = Path(output)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == "__main__":
    main()
