#pragma once

/// What reads the fields of packets by number and wire type.

#include <cstdint>
#include <string_view>

#include "proto/pbf.h"

namespace xsp::analysis::packet {

inline protozero::pbf_reader fields(std::string_view encoded) { return {encoded.data(), encoded.size()}; }

/// A field and its wire type in one value, so that a field of another type than expected is skipped as unknown.
constexpr uint32_t number(uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::varint); }
constexpr uint32_t bytes(uint32_t field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

constexpr int64_t clamp_time(uint64_t ns) {
  return ns > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(ns);
}

}  // namespace xsp::analysis::packet
