#pragma once

/// Writes the columns of one SpanBatch (trace.proto). The caller gives spans by index through `row`, which must be
/// cheap: each column that is not all zeros reads every row once. About 16 bytes a span in practice.

#include <cstddef>
#include <cstdint>

#include "proto/wire_writer.h"

namespace xsp {

/// One span as the columns carry it. Ids are string ids of the process, except `id` and `parent`.
struct SpanRow {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t bytes = 0;
  uint32_t id = 0;
  uint32_t parent = 0;
  uint32_t name = 0;
  uint32_t type = 0;
  uint32_t shape = 0;
  uint32_t input = 0;
  uint32_t scope = 0;
  uint32_t start_thread = 0;
  uint32_t start_ring = 0;  // + 1
  uint32_t correlation = 0;
  uint32_t forward_ring = 0;  // + 1
  uint32_t forward = 0;
  uint8_t level = 0;
  uint8_t kind = 0;
  bool has_bytes = false;
  bool failed = false;
  bool shallow = false;
};

/// Ids that mostly follow each other, as varints: 0 stays 0, else 1 + zigzag of the difference to the last one that was
/// not 0.
class DistanceColumn {
 public:
  uint64_t encode(uint64_t id) {
    if (id == 0) return 0;
    const auto delta = static_cast<int64_t>(id - last_);
    last_ = id;
    return zigzag(delta) + 1;
  }
  /// The reverse. Any value gives some id.
  uint64_t decode(uint64_t value) {
    if (value == 0) return 0;
    const uint64_t distance = value - 1;
    last_ += (distance >> 1) ^ (~(distance & 1) + 1);
    return last_;
  }

 private:
  uint64_t last_ = 0;
};

/// Identifies a batch; see SpanBatch.
struct BatchHead {
  uint32_t thread = 0;
  uint32_t ring = 0;
  uint64_t first_record = 0;
  uint32_t record_count = 0;
  uint32_t clock = 0;
};

/// Bytes that one row can take at most, all columns together, and the fixed part of a batch.
inline constexpr size_t kMaxRowBytes = 3 * 10 + 15 * 5 + 3;
inline constexpr size_t kMaxBatchHeadBytes = 180;

/// Appends the fields of a SpanBatch (not its tag and length). `row(i)` returns the i-th SpanRow, i < count.
template <typename RowFunction>
void write_span_columns(WireWriter& writer, const BatchHead& head, size_t count, RowFunction&& row) {
  writer.uint64(1, head.thread);
  writer.uint64(2, head.ring);
  writer.uint64(3, head.first_record);
  writer.uint64(4, head.record_count);
  writer.uint64(5, count);
  writer.uint64(6, head.clock);
  if (count == 0) return;

  auto column = [&](uint32_t field, auto&& encode) {
    auto mark = writer.begin(field);
    for (size_t i = 0; i < count; ++i) writer.varint(encode(row(i)));
    writer.end(mark);
  };
  auto column_unless_zero = [&](uint32_t field, auto&& value) {
    for (size_t i = 0; i < count; ++i) {
      if (value(row(i)) != 0) {
        column(field, value);
        return;
      }
    }
  };

  uint64_t previous_begin = 0;
  column(7, [&](const SpanRow& span) {
    const uint64_t delta = span.begin - previous_begin;
    previous_begin = span.begin;
    return zigzag(static_cast<int64_t>(delta));
  });
  column(8, [](const SpanRow& span) { return span.end - span.begin; });
  uint32_t previous_id = 0;
  bool any_id = false;
  bool all_bytes = true;
  bool any_bytes = false;
  for (size_t i = 0; i < count; ++i) {
    any_id |= row(i).id != 0;
    all_bytes &= row(i).has_bytes;
    any_bytes |= row(i).has_bytes;
  }
  if (any_id) {
    column(9, [&](const SpanRow& span) {
      const auto delta = static_cast<int32_t>(span.id - previous_id);
      previous_id = span.id;
      return uint64_t{static_cast<uint32_t>(delta) << 1 ^ static_cast<uint32_t>(delta >> 31)};
    });
    column_unless_zero(10, [](const SpanRow& span) { return uint64_t{span.parent == 0 ? 0 : span.id - span.parent}; });
  }
  column(11, [](const SpanRow& span) { return uint64_t{span.level} | uint64_t{span.kind} << 3; });
  column_unless_zero(12, [](const SpanRow& span) { return uint64_t{span.name}; });
  column_unless_zero(13, [](const SpanRow& span) { return uint64_t{span.type}; });
  column_unless_zero(14, [](const SpanRow& span) { return uint64_t{span.shape}; });
  column_unless_zero(15, [](const SpanRow& span) { return uint64_t{span.input}; });
  column_unless_zero(16, [](const SpanRow& span) { return span.bytes; });
  writer.boolean(17, all_bytes);
  column_unless_zero(18, [](const SpanRow& span) { return uint64_t{span.scope}; });
  column_unless_zero(19, [](const SpanRow& span) { return uint64_t{span.start_thread}; });
  column_unless_zero(20, [](const SpanRow& span) { return uint64_t{span.start_ring}; });
  column_unless_zero(21, [](const SpanRow& span) { return uint64_t{span.failed}; });
  DistanceColumn correlations;
  for (size_t i = 0; i < count; ++i) {
    if (row(i).correlation == 0) continue;
    column(22, [&](const SpanRow& span) { return correlations.encode(span.correlation); });
    break;
  }
  column_unless_zero(23, [](const SpanRow& span) { return uint64_t{span.forward_ring}; });
  DistanceColumn forwards;
  for (size_t i = 0; i < count; ++i) {
    if (row(i).forward == 0) continue;
    column(24, [&](const SpanRow& span) { return forwards.encode(span.forward); });
    break;
  }
  if (any_bytes && !all_bytes) column(25, [](const SpanRow& span) { return uint64_t{span.has_bytes}; });
  column_unless_zero(26, [](const SpanRow& span) { return uint64_t{span.shallow}; });
}

}  // namespace xsp
