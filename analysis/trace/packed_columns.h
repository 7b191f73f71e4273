#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analysis/trace/span_table.h"
#include "analysis/trace/string_table.h"
#include "proto/pbf.h"
#include "proto/span_columns.h"

namespace xsp::analysis {

/// Times stay below this (146 years), so that differences and tolerances cannot overflow.
inline constexpr int64_t kMaxTime = int64_t{1} << 62;

/// The packed columns of a batch, still encoded, by field number. What decodes one is false where the column has
/// another length than `count` or a value that its place cannot hold; an absent column puts nothing.
template <size_t kFields>
struct PackedColumns {
  uint32_t count = 0;
  std::array<protozero::data_view, kFields> encoded;

  bool has(uint32_t field) const { return !encoded[field].empty(); }

  /// Takes the column that `reader` is at; false when it is no packed column or comes a second time.
  bool take(protozero::pbf_reader& reader) {
    const uint32_t field = reader.tag();
    if (reader.wire_type() != protozero::pbf_wire_type::length_delimited || has(field)) return false;
    encoded[field] = reader.get_view();
    return true;
  }

  /// Calls `put(i, value)` for the values; `put` refuses by false.
  template <typename Put>
  bool decode(uint32_t field, Put&& put) const {
    const protozero::data_view& column = encoded[field];
    if (column.empty()) return true;
    const char* at = column.data();
    const char* const end = at + column.size();
    for (size_t i = 0; i < count; ++i) {
      if (at == end || !put(i, protozero::decode_varint(&at, end))) return false;
    }
    return at == end;
  }

  /// Plain numbers of 32 bits.
  bool decode_numbers(uint32_t field, uint32_t* to) const {
    return decode(field, [&](size_t i, uint64_t value) {
      to[i] = static_cast<uint32_t>(value);
      return value <= UINT32_MAX;
    });
  }

  /// A column of DistanceColumn.
  template <typename Id>
  bool decode_distances(uint32_t field, Id* to) const {
    DistanceColumn ids;
    return decode(field, [&](size_t i, uint64_t value) {
      const uint64_t id = ids.decode(value);
      to[i] = static_cast<Id>(id);
      return to[i] == id;
    });
  }

  bool decode_times(uint32_t begin_field, uint32_t duration_field, int64_t* begins, int64_t* ends) const {
    uint64_t begin = 0;
    if (!decode(begin_field, [&](size_t i, uint64_t value) {
          begin += static_cast<uint64_t>(protozero::decode_zigzag64(value));
          begins[i] = ends[i] = static_cast<int64_t>(begin);
          return begins[i] >= 0 && begins[i] <= kMaxTime;
        })) {
      return false;
    }
    return decode(duration_field, [&](size_t i, uint64_t duration) {
      if (duration > static_cast<uint64_t>(kMaxTime - begins[i])) return false;
      ends[i] = begins[i] + static_cast<int64_t>(duration);
      return true;
    });
  }

  bool decode_levels(uint32_t field, Level* levels, Kind* kinds) const {
    return decode(field, [&](size_t i, uint64_t value) {
      const uint64_t level = value & 7;
      if (level == 0 || level >= kLevelCount || value >> 3 > UINT8_MAX) return false;
      levels[i] = static_cast<Level>(level);
      kinds[i] = static_cast<Kind>(value >> 3);
      return true;
    });
  }

  bool decode_strings(uint32_t field, const ProcessStrings& strings, uint32_t* to, uint64_t* missing) const {
    return decode(field, [&](size_t i, uint64_t id) {
      if (id > UINT32_MAX) return false;
      to[i] = strings.find(static_cast<uint32_t>(id));
      if (to[i] == StringTable::kMissing) ++*missing;
      return true;
    });
  }
};

}  // namespace xsp::analysis
