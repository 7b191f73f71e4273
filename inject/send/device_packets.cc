#include "inject/send/device_packets.h"

#include <algorithm>

#include "proto/activity_columns.h"
#include "proto/packet_writer.h"
#include "proto/record_rows.h"
#include "proto/row_batches.h"

namespace xsp::guest {
namespace {

/// Queues of one packet. Executions on further queues go into the next packet.
constexpr size_t kMostQueues = 64;

}  // namespace

size_t write_activities(WireWriter& writer, uint32_t ring, const RingRecords& records, uint64_t end) {
  ActivityQueue queues[kMostQueues];
  uint8_t queue_of_record[kBatchRecords];
  size_t queue_count = 0;
  // Intervals carry the guest's clock, other activities CUPTI's, and a packet has one clock.
  const bool intervals = is_stream_interval(records.activity_at(0)->kind);
  const size_t limit = std::min<size_t>(end - records.first, kBatchRecords);
  size_t count = 0;
  for (; count < limit && records.is_finished(count); ++count) {
    const shm::ActivityRecord& record = *records.activity_at(count);
    if (records.type(count) != shm::RecordType::kActivity || is_stream_interval(record.kind) != intervals) break;
    const ActivityQueue queue = queue_of(record);
    // Most executions are on the queue of the one before: no search.
    size_t index = count == 0 ? 0 : queue_of_record[count - 1];
    if (count == 0 || queues[index] != queue) {
      index = static_cast<size_t>(std::find(queues, queues + queue_count, queue) - queues);
    }
    if (index == queue_count) {
      if (queue_count == kMostQueues) break;
      queues[queue_count++] = queue;
    }
    queue_of_record[count] = static_cast<uint8_t>(index);
  }
  const BatchHead head{
      .ring = ring,
      .first_record = records.first,
      .record_count = static_cast<uint32_t>(count),
      .clock = intervals ? static_cast<uint32_t>(clock_source) : static_cast<uint32_t>(wire::Clock::kCupti)};
  write_packet(writer, wire::ActivityBatch::kBody, [&] {
    write_activity_columns(
        writer, head, queue_count, [&](size_t i) { return queues[i]; }, count,
        [&](size_t i) { return row_of(*records.activity_at(i), queue_of_record[i]); });
  });
  return count;
}

void write_graph_nodes(WireWriter& writer, uint32_t ring, const RingRecords& records, const Offsets& nodes) {
  if (nodes.count == 0) return;
  write_packet(writer, wire::GraphNodes::kBody, [&] {
    write_graph_node_columns(writer, ring, [&](auto&& take) {
      for (size_t i = 0; i < nodes.count; ++i) take(graph_node_of(*records.graph_node_at(nodes.offset[i])));
    });
  });
}

}  // namespace xsp::guest
