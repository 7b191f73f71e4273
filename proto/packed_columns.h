#pragma once

/// Reads packed columns of hostile input: memory and time grow with the bytes that are there, never with what they
/// claim. All throw protozero::exception on a broken varint.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proto/distance_column.h"
#include "proto/pbf.h"

namespace xsp {

/// The columns of a batch, still encoded, by field number. Decoding one returns false if the column does not have
/// `count` values, or if `put` refuses one by returning false; an absent column puts nothing.
template <size_t kFields>
struct PackedColumns {
  uint32_t count = 0;
  std::array<std::string_view, kFields> encoded;

  bool has(uint32_t field) const { return !encoded[field].empty(); }

  /// Keeps a column; false when it comes a second time.
  bool take(uint32_t field, std::string_view column) {
    if (has(field)) return false;
    encoded[field] = column;
    return true;
  }

  /// Calls `put(i, value)` for the values. This and those below are inlined, as every value of a trace passes through
  /// them.
  template <typename Put>
  [[gnu::always_inline]] bool decode(uint32_t field, Put put) const {
    const std::string_view column = encoded[field];
    if (column.empty()) return true;
    const char* at = column.data();
    const char* const end = at + column.size();
    for (size_t i = 0; i < count; ++i) {
      if (at == end || !put(i, protozero::decode_varint(&at, end))) return false;
    }
    return at == end;
  }

  /// Calls `put(i, sum)` for a column of differences, each as zigzag of 64 bits.
  template <typename Put>
  [[gnu::always_inline]] bool decode_sums(uint32_t field, Put put) const {
    return decode(field, [put, sum = uint64_t{0}](size_t i, uint64_t difference) mutable {
      sum += static_cast<uint64_t>(protozero::decode_zigzag64(difference));
      return put(i, sum);
    });
  }

  /// Calls `put(i, id)` for a DistanceColumn.
  template <typename Put>
  [[gnu::always_inline]] bool decode_distances(uint32_t field, Put put) const {
    return decode(
        field, [put, ids = DistanceColumn()](size_t i, uint64_t value) mutable { return put(i, ids.decode(value)); });
  }
};

/// Some columns of equal length, read row by row.
template <size_t kColumns>
struct RowColumns {
  std::array<std::string_view, kColumns> left;

  /// Takes the next row. False where a column has ended.
  bool next(std::array<uint64_t, kColumns>& row) {
    for (const std::string_view column : left) {
      if (column.empty()) return false;
    }
    for (size_t i = 0; i < kColumns; ++i) {
      const char* at = left[i].data();
      row[i] = protozero::decode_varint(&at, at + left[i].size());
      left[i].remove_prefix(static_cast<size_t>(at - left[i].data()));
    }
    return true;
  }

  /// Whether all columns have ended, as those of equal length have when next() is false.
  bool is_at_end() const {
    for (const std::string_view column : left) {
      if (!column.empty()) return false;
    }
    return true;
  }
};

}  // namespace xsp
