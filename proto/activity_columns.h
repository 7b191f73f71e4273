#pragma once

/// Writes the columns of one ActivityBatch (trace.proto), as span_columns.h does those of a SpanBatch. About 12 bytes
/// an execution in practice.

#include <cstddef>
#include <cstdint>

#include "proto/packet_writer.h"
#include "proto/span_columns.h"

namespace xsp {

/// Where something executed: device, context, stream.
using ActivityQueue = wire::ActivityBatchQueue;

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
  using Fields = wire::ActivityBatch;
  writer.uint64(Fields::kRing, head.ring);
  writer.uint64(Fields::kFirstRecord, head.first_record);
  writer.uint64(Fields::kRecordCount, head.record_count);
  writer.uint64(Fields::kCount, count);
  writer.uint64(Fields::kClock, head.clock);
  if (count == 0) return;
  for (size_t i = 0; i < queues; ++i) {
    write_nested(writer, Fields::kQueue, queue(i));
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
      Fields::kQueueIndex, [](const ActivityRow& activity) { return uint64_t{activity.queue}; }, plain);
  column(Fields::kBegin, [&](const ActivityRow& activity) {
    const uint64_t delta = activity.begin - previous_begin;
    previous_begin = activity.begin;
    return zigzag(static_cast<int64_t>(delta));
  });
  column(Fields::kDuration, [](const ActivityRow& activity) { return activity.end - activity.begin; });
  column(Fields::kLevelKind,
         [](const ActivityRow& activity) { return uint64_t{activity.level} | uint64_t{activity.kind} << 3; });
  unless_zero(
      Fields::kName, [](const ActivityRow& activity) { return uint64_t{activity.name}; }, plain);
  unless_zero(
      Fields::kConfiguration, [](const ActivityRow& activity) { return uint64_t{activity.configuration}; }, plain);
  unless_zero(
      Fields::kBytes, [](const ActivityRow& activity) { return activity.bytes; }, plain);
  DistanceColumn correlations;
  unless_zero(
      Fields::kCorrelation, [](const ActivityRow& activity) { return uint64_t{activity.correlation}; },
      distance(correlations));
  DistanceColumn nodes;
  unless_zero(
      Fields::kGraphNode, [](const ActivityRow& activity) { return activity.graph_node; }, distance(nodes));
  unless_zero(
      Fields::kGraph, [](const ActivityRow& activity) { return uint64_t{activity.graph}; }, plain);
  unless_zero(
      Fields::kThread, [](const ActivityRow& activity) { return uint64_t{activity.thread}; }, plain);
  unless_zero(
      Fields::kFailed, [](const ActivityRow& activity) { return uint64_t{activity.failed}; }, plain);
  unless_zero(
      Fields::kLaunchRing, [](const ActivityRow& activity) { return uint64_t{activity.launch.ring}; }, plain);
  DistanceColumn launches;
  unless_zero(
      Fields::kLaunch, [](const ActivityRow& activity) { return uint64_t{activity.launch.id}; }, distance(launches));
  unless_zero(
      Fields::kCaptureRing, [](const ActivityRow& activity) { return uint64_t{activity.capture.ring}; }, plain);
  DistanceColumn captures;
  unless_zero(
      Fields::kCapture, [](const ActivityRow& activity) { return uint64_t{activity.capture.id}; }, distance(captures));
}

}  // namespace xsp
