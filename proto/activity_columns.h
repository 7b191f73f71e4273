#pragma once

/// Writes the columns of one ActivityBatch (trace.proto), as span_columns.h does those of a SpanBatch. About 12 bytes
/// an execution in practice.

#include <cstddef>
#include <cstdint>

#include "proto/span_columns.h"

namespace xsp {

/// Where something executed: device, context, stream.
struct ActivityQueue {
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;

  bool operator==(const ActivityQueue&) const = default;
};

/// A span of a ring: which one launched an execution, or was open when its graph node was made.
struct SpanReference {
  uint32_t ring = 0;  // + 1; 0: not known
  uint32_t id = 0;
};

/// One activity as the columns carry it. Ids are string ids of the process.
struct ActivityRow {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t bytes = 0;
  uint64_t graph_node = 0;
  uint32_t name = 0;
  uint32_t configuration = 0;
  uint32_t correlation = 0;
  uint32_t graph = 0;
  uint32_t thread = 0;  // of an API call
  uint32_t queue = 0;   // index in the batch's queues
  SpanReference launch;
  SpanReference capture;
  uint8_t level = 0;
  uint8_t kind = 0;
  bool failed = false;
};

/// Bytes that one row can take at most, and one queue.
inline constexpr size_t kMaxActivityBytes = 3 * 10 + 14 * 5;
inline constexpr size_t kMaxQueueBytes = 2 + 3 * 6;

/// Appends the fields of an ActivityBatch (not its tag and length). `head.thread` is not written. `queue(i)` returns
/// the i-th ActivityQueue, `row(i)` the i-th ActivityRow.
template <typename QueueFunction, typename RowFunction>
void write_activity_columns(WireWriter& writer, const BatchHead& head, size_t queues, QueueFunction&& queue,
                            size_t count, RowFunction&& row) {
  writer.uint64(1, head.ring);
  writer.uint64(2, head.first_record);
  writer.uint64(3, head.record_count);
  writer.uint64(4, count);
  writer.uint64(5, head.clock);
  if (count == 0) return;
  for (size_t i = 0; i < queues; ++i) {
    const ActivityQueue& place = queue(i);
    const auto mark = writer.begin(6);
    writer.uint64(1, place.device);
    writer.uint64(2, place.context);
    writer.uint64(3, place.stream);
    writer.end(mark);
  }

  auto column = [&](uint32_t field, auto&& encode) {
    const auto mark = writer.begin(field);
    for (size_t i = 0; i < count; ++i) writer.varint(encode(row(i)));
    writer.end(mark);
  };
  auto unless_zero = [&](uint32_t field, auto&& value, auto&& encode) {
    for (size_t i = 0; i < count; ++i) {
      if (value(row(i)) == 0) continue;
      column(field, [&](const ActivityRow& activity) { return encode(value(activity)); });
      return;
    }
  };
  const auto plain = [](uint64_t value) { return value; };
  const auto distance = [](DistanceColumn& ids) { return [&ids](uint64_t id) { return ids.encode(id); }; };

  uint64_t previous_begin = 0;
  unless_zero(
      7, [](const ActivityRow& activity) { return uint64_t{activity.queue}; }, plain);
  column(8, [&](const ActivityRow& activity) {
    const uint64_t delta = activity.begin - previous_begin;
    previous_begin = activity.begin;
    return zigzag(static_cast<int64_t>(delta));
  });
  column(9, [](const ActivityRow& activity) { return activity.end - activity.begin; });
  column(10, [](const ActivityRow& activity) { return uint64_t{activity.level} | uint64_t{activity.kind} << 3; });
  unless_zero(
      11, [](const ActivityRow& activity) { return uint64_t{activity.name}; }, plain);
  unless_zero(
      12, [](const ActivityRow& activity) { return uint64_t{activity.configuration}; }, plain);
  unless_zero(
      13, [](const ActivityRow& activity) { return activity.bytes; }, plain);
  DistanceColumn correlations;
  unless_zero(
      14, [](const ActivityRow& activity) { return uint64_t{activity.correlation}; }, distance(correlations));
  DistanceColumn nodes;
  unless_zero(
      15, [](const ActivityRow& activity) { return activity.graph_node; }, distance(nodes));
  unless_zero(
      16, [](const ActivityRow& activity) { return uint64_t{activity.graph}; }, plain);
  unless_zero(
      17, [](const ActivityRow& activity) { return uint64_t{activity.thread}; }, plain);
  unless_zero(
      18, [](const ActivityRow& activity) { return uint64_t{activity.failed}; }, plain);
  unless_zero(
      19, [](const ActivityRow& activity) { return uint64_t{activity.launch.ring}; }, plain);
  DistanceColumn launches;
  unless_zero(
      20, [](const ActivityRow& activity) { return uint64_t{activity.launch.id}; }, distance(launches));
  unless_zero(
      21, [](const ActivityRow& activity) { return uint64_t{activity.capture.ring}; }, plain);
  DistanceColumn captures;
  unless_zero(
      22, [](const ActivityRow& activity) { return uint64_t{activity.capture.id}; }, distance(captures));
}

}  // namespace xsp
