#pragma once

/// Reads what row_batches.h writes, row by row. Nothing is allocated; views are of the packet. After next() was false,
/// is_whole() says whether the columns had equal length. All throw protozero::exception on broken protobuf.

#include <array>
#include <cstdint>
#include <string_view>

#include "proto/packed_columns.h"
#include "proto/trace_readers.h"

namespace xsp {

/// An id that does not fit in 32 bits is read as 0, which is no span and no string.
class TagBatchReader {
 public:
  struct Row {
    uint32_t span = 0;
    uint32_t key = 0;
    uint32_t value = 0;
  };

  explicit TagBatchReader(std::string_view encoded) {
    wire::read(encoded, &head_, [&](uint32_t field, std::string_view column) {
      columns_.left[field - wire::TagBatch::kSpan] = column;
      return true;
    });
  }

  const wire::TagBatch& head() const { return head_; }
  bool next(Row* row) {
    std::array<uint64_t, 3> values;
    if (!columns_.next(values)) return false;
    *row = {id_of(values[0]), id_of(values[1]), id_of(values[2])};
    return true;
  }
  bool is_whole() const { return columns_.is_at_end(); }

 private:
  static uint32_t id_of(uint64_t value) { return value <= UINT32_MAX ? static_cast<uint32_t>(value) : 0; }

  static_assert(wire::TagBatch::kKey == wire::TagBatch::kSpan + 1 &&
                wire::TagBatch::kValue == wire::TagBatch::kKey + 1);

  wire::TagBatch head_;
  RowColumns<3> columns_;
};

class ArgumentBatchReader {
 public:
  struct Row {
    uint32_t span = 0;
    uint64_t layout = 0;      ///< a string id, if it is a number of 32 bits
    std::string_view values;  ///< its part of the batch's
  };

  explicit ArgumentBatchReader(std::string_view encoded, wire::Mismatch mismatch = wire::Mismatch::kThrow) {
    const auto take = [&](uint32_t field, std::string_view column) {
      columns_.left[field - wire::ArgumentBatch::kSpan] = column;
      return true;
    };
    if (mismatch == wire::Mismatch::kSkip) {
      wire::read<wire::Mismatch::kSkip>(encoded, &head_, take);
    } else {
      wire::read(encoded, &head_, take);
    }
    values_ = head_.values;
  }

  const wire::ArgumentBatch& head() const { return head_; }
  /// False also before a row whose values are not all there, or whose span is no id.
  bool next(Row* row) {
    std::array<uint64_t, 3> values;
    if (!columns_.next(values)) return false;
    const auto [difference, layout, length] = values;
    if (difference > UINT32_MAX || length > values_.size()) {
      is_refused_ = true;
      return false;
    }
    span_ += static_cast<uint32_t>(protozero::decode_zigzag32(static_cast<uint32_t>(difference)));
    *row = {span_, layout, values_.substr(0, length)};
    values_.remove_prefix(length);
    return true;
  }
  bool is_whole() const { return !is_refused_ && columns_.is_at_end() && values_.empty(); }

 private:
  static_assert(wire::ArgumentBatch::kLayout == wire::ArgumentBatch::kSpan + 1 &&
                wire::ArgumentBatch::kLength == wire::ArgumentBatch::kLayout + 1);

  wire::ArgumentBatch head_;
  RowColumns<3> columns_;
  std::string_view values_;
  uint32_t span_ = 0;
  bool is_refused_ = false;
};

/// A column that is absent is all zeros.
class GraphNodesReader {
 public:
  struct Row {
    uint64_t node = 0;
    uint64_t original = 0;
    uint32_t span = 0;
  };

  explicit GraphNodesReader(std::string_view encoded) {
    wire::read(encoded, &head_, [&](uint32_t field, std::string_view column) {
      columns_[field - wire::GraphNodes::kNode] = column;
      return true;
    });
    for (size_t i = 0; i < columns_.size(); ++i) is_there_[i] = !columns_[i].empty();
  }

  const wire::GraphNodes& head() const { return head_; }
  bool next(Row* row) {
    if (columns_[0].empty()) return false;
    std::array<uint64_t, 3> values{};
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!is_there_[i]) continue;
      if (columns_[i].empty()) {
        is_short_ = true;
        return false;
      }
      const char* at = columns_[i].data();
      values[i] = protozero::decode_varint(&at, at + columns_[i].size());
      columns_[i].remove_prefix(static_cast<size_t>(at - columns_[i].data()));
    }
    *row = {values[0], values[1], static_cast<uint32_t>(values[2])};
    return true;
  }
  bool is_whole() const { return !is_short_ && columns_[1].empty() && columns_[2].empty(); }

 private:
  static_assert(wire::GraphNodes::kOriginal == wire::GraphNodes::kNode + 1 &&
                wire::GraphNodes::kSpan == wire::GraphNodes::kOriginal + 1);

  wire::GraphNodes head_;
  std::array<std::string_view, 3> columns_;
  std::array<bool, 3> is_there_{};
  bool is_short_ = false;
};

}  // namespace xsp
