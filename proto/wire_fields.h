#pragma once

/// What the generated readers (proto/trace_readers.h) are made of.

#include <cstdint>
#include <string_view>

#include "proto/pbf.h"

namespace xsp::wire {

/// What to do with a known field that has the wrong wire type: protobuf skips it as unknown; a reader that takes it for
/// a peer's fault throws.
enum class Mismatch : uint8_t { kSkip, kThrow };

namespace wire_field {

/// A field and its wire type in one value, as pbf_reader::tag_and_type() gives them.
constexpr uint32_t number(uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::varint); }
constexpr uint32_t fixed64(uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed64); }
constexpr uint32_t delimited(uint32_t field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

template <typename Text>
Text text(protozero::data_view view) {
  return Text(view.data(), view.size());
}

/// Skips a field that the message does not have with this wire type. `fields` has a bit for each number of the message.
template <Mismatch kMismatch>
void skip(protozero::pbf_reader& reader, uint64_t fields) {
  if (kMismatch == Mismatch::kThrow && reader.tag() < 64 && (fields >> reader.tag() & 1) != 0) {
    throw protozero::unknown_pbf_wire_type_exception();
  }
  reader.skip();
}

}  // namespace wire_field
}  // namespace xsp::wire
