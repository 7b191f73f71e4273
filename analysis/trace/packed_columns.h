#pragma once

/// What the columns of batches may hold in a trace, beyond what proto/packed_columns.h says. Each is false where the
/// column has another length than the batch's count or a value that its place cannot hold; an absent column puts
/// nothing.

#include <cstddef>
#include <cstdint>

#include "analysis/trace/span_table.h"
#include "analysis/trace/string_table.h"
#include "proto/batch_readers.h"

namespace xsp::analysis {

/// Times stay below this (146 years), so that differences and tolerances cannot overflow.
inline constexpr int64_t kMaxTime = int64_t{1} << 62;

/// Plain numbers of 32 bits.
template <typename Columns>
bool decode_numbers(const Columns& columns, uint32_t field, uint32_t* to) {
  return columns.decode(field, [&](size_t i, uint64_t value) {
    to[i] = static_cast<uint32_t>(value);
    return value <= UINT32_MAX;
  });
}

/// A DistanceColumn.
template <typename Columns, typename Id>
bool decode_distances(const Columns& columns, uint32_t field, Id* to) {
  return columns.decode_distances(field, [&](size_t i, uint64_t id) {
    to[i] = static_cast<Id>(id);
    return to[i] == id;
  });
}

template <typename Columns>
bool decode_times(const Columns& columns, uint32_t begin_field, uint32_t duration_field, int64_t* begins,
                  int64_t* ends) {
  if (!columns.decode_sums(begin_field, [&](size_t i, uint64_t begin) {
        begins[i] = ends[i] = static_cast<int64_t>(begin);
        return begins[i] >= 0 && begins[i] <= kMaxTime;
      })) {
    return false;
  }
  return columns.decode(duration_field, [&](size_t i, uint64_t duration) {
    if (duration > static_cast<uint64_t>(kMaxTime - begins[i])) return false;
    ends[i] = begins[i] + static_cast<int64_t>(duration);
    return true;
  });
}

template <typename Columns>
bool decode_levels(const Columns& columns, uint32_t field, Level* levels, Kind* kinds) {
  return columns.decode(field, [&](size_t i, uint64_t value) {
    const uint64_t level = level_in(value);
    if (level == 0 || level >= kLevelCount || kind_in(value) > UINT8_MAX) return false;
    levels[i] = static_cast<Level>(level);
    kinds[i] = static_cast<Kind>(kind_in(value));
    return true;
  });
}

template <typename Columns>
bool decode_strings(const Columns& columns, uint32_t field, const ProcessStrings& strings, uint32_t* to,
                    uint64_t* missing) {
  return columns.decode(field, [&](size_t i, uint64_t id) {
    if (id > UINT32_MAX) return false;
    to[i] = strings.find(static_cast<uint32_t>(id));
    if (to[i] == StringTable::kMissing) ++*missing;
    return true;
  });
}

}  // namespace xsp::analysis
