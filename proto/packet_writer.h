#pragma once

/// Messages inside others: packets with their framing of a Trace, and nested messages. The guest includes it.

#include <cstdint>

#include "proto/trace_messages.h"
#include "proto/wire_writer.h"

namespace xsp {

/// A packet being written: its own mark, and that of its body.
struct PacketMarks {
  WireWriter::Mark packet;
  WireWriter::Mark body;
};

/// Out of line, as the guest has many packets and none of them is frequent.
[[gnu::noinline]] inline PacketMarks begin_packet(WireWriter& writer, wire::Body body) {
  const auto packet = writer.begin(wire::Trace::kPacket);
  return {packet, writer.begin(static_cast<uint32_t>(body))};
}
[[gnu::noinline]] inline void end_packet(WireWriter& writer, PacketMarks marks) {
  writer.end(marks.body);
  writer.end(marks.packet);
}

/// Writes a packet as it goes over the socket. `fill()` writes the fields of its body.
template <typename Fill>
void write_packet(WireWriter& writer, wire::Body body, Fill&& fill) {
  const PacketMarks marks = begin_packet(writer, body);
  fill();
  end_packet(writer, marks);
}

/// Likewise, of a message that is all plain fields.
template <typename Message>
void write_packet(WireWriter& writer, const Message& message) {
  write_packet(writer, Message::kBody, [&] { wire::write(writer, message); });
}

/// Writes a message that is all plain fields as a field of another one.
template <typename Message>
void write_nested(WireWriter& writer, uint32_t field, const Message& message) {
  const auto mark = writer.begin(field);
  wire::write(writer, message);
  writer.end(mark);
}

}  // namespace xsp
