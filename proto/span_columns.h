#pragma once

/// Writes the columns of one SpanBatch (trace.proto). The caller gives spans by index through `row`, which must be
/// cheap: each column that is not all zeros reads every row once. About 16 bytes a span in practice.

#include <cstddef>
#include <cstdint>

#include "proto/distance_column.h"
#include "proto/trace_messages.h"
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
  using Fields = wire::SpanBatch;
  writer.uint64(Fields::kThread, head.thread);
  writer.uint64(Fields::kRing, head.ring);
  writer.uint64(Fields::kFirstRecord, head.first_record);
  writer.uint64(Fields::kRecordCount, head.record_count);
  writer.uint64(Fields::kCount, count);
  writer.uint64(Fields::kClock, head.clock);
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
  column(Fields::kBegin, [&](const SpanRow& span) {
    const uint64_t delta = span.begin - previous_begin;
    previous_begin = span.begin;
    return zigzag(static_cast<int64_t>(delta));
  });
  column(Fields::kDuration, [](const SpanRow& span) { return span.end - span.begin; });
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
    column(Fields::kId, [&](const SpanRow& span) {
      const uint32_t difference = zigzag_difference(span.id, previous_id);
      previous_id = span.id;
      return uint64_t{difference};
    });
    column_unless_zero(Fields::kParent,
                       [](const SpanRow& span) { return uint64_t{span.parent == 0 ? 0 : span.id - span.parent}; });
  }
  column(Fields::kLevelKind, [](const SpanRow& span) { return uint64_t{span.level} | uint64_t{span.kind} << 3; });
  column_unless_zero(Fields::kName, [](const SpanRow& span) { return uint64_t{span.name}; });
  column_unless_zero(Fields::kType, [](const SpanRow& span) { return uint64_t{span.type}; });
  column_unless_zero(Fields::kShape, [](const SpanRow& span) { return uint64_t{span.shape}; });
  column_unless_zero(Fields::kInput, [](const SpanRow& span) { return uint64_t{span.input}; });
  column_unless_zero(Fields::kBytes, [](const SpanRow& span) { return span.bytes; });
  writer.boolean(Fields::kHasBytes, all_bytes);
  column_unless_zero(Fields::kScope, [](const SpanRow& span) { return uint64_t{span.scope}; });
  column_unless_zero(Fields::kStartThread, [](const SpanRow& span) { return uint64_t{span.start_thread}; });
  column_unless_zero(Fields::kStartRing, [](const SpanRow& span) { return uint64_t{span.start_ring}; });
  column_unless_zero(Fields::kFailed, [](const SpanRow& span) { return uint64_t{span.failed}; });
  DistanceColumn correlations;
  for (size_t i = 0; i < count; ++i) {
    if (row(i).correlation == 0) continue;
    column(Fields::kCorrelation, [&](const SpanRow& span) { return correlations.encode(span.correlation); });
    break;
  }
  column_unless_zero(Fields::kForwardRing, [](const SpanRow& span) { return uint64_t{span.forward_ring}; });
  DistanceColumn forwards;
  for (size_t i = 0; i < count; ++i) {
    if (row(i).forward == 0) continue;
    column(Fields::kForward, [&](const SpanRow& span) { return forwards.encode(span.forward); });
    break;
  }
  if (any_bytes && !all_bytes)
    column(Fields::kBytesKnown, [](const SpanRow& span) { return uint64_t{span.has_bytes}; });
  column_unless_zero(Fields::kShallow, [](const SpanRow& span) { return uint64_t{span.shallow}; });
}

}  // namespace xsp
