#include "inject/send/device_packets.h"

#include <algorithm>

#include "proto/activity_columns.h"

namespace xsp::guest {
namespace {

/// Queues of one packet. Executions of more streams than this go on in the next packet.
constexpr size_t kMostQueues = 64;

wire::Kind kind_of(const shm::ActivityRecord& record) { return static_cast<wire::Kind>(record.kind); }

bool is_api_call(const shm::ActivityRecord& record) {
  return kind_of(record) == wire::Kind::kRuntimeCall || kind_of(record) == wire::Kind::kDriverCall;
}

bool is_interval(const shm::ActivityRecord& record) { return kind_of(record) == wire::Kind::kStreamInterval; }

ActivityQueue queue_of(const shm::ActivityRecord& record) {
  if (is_api_call(record)) return {};
  return {.device = record.device, .context = record.context, .stream = record.stream};
}

ActivityRow row_of(const shm::ActivityRecord& record, uint32_t queue) {
  ActivityRow row{.begin = record.begin,
                  .end = record.end,
                  .bytes = record.bytes,
                  .name = record.name,
                  .configuration = record.configuration,
                  .queue = queue,
                  .level = static_cast<uint8_t>(is_api_call(record) ? wire::Level::kRuntime : wire::Level::kDevice),
                  .kind = record.kind,
                  .failed = (record.flags & shm::kFlagFailed) != 0};
  if (is_api_call(record)) row.thread = record.context;
  if (is_interval(record)) {
    row.launch = {.ring = record.correlation + 1, .id = static_cast<uint32_t>(record.graph_node)};
    return row;
  }
  row.correlation = record.correlation;
  row.graph_node = record.graph_node;
  row.graph = record.graph;
  return row;
}

}  // namespace

size_t write_activities(WireWriter& writer, uint32_t ring, const RingRecords& records, uint64_t end) {
  ActivityQueue queues[kMostQueues];
  uint8_t queue_of_record[kBatchRecords];
  size_t queue_count = 0;
  const bool intervals = is_interval(*records.activity_at(0));
  const size_t limit = std::min<size_t>(end - records.first, kBatchRecords);
  size_t count = 0;
  for (; count < limit && records.is_finished(count); ++count) {
    const shm::ActivityRecord& record = *records.activity_at(count);
    if (records.type(count) != shm::RecordType::kActivity || is_interval(record) != intervals) break;
    const ActivityQueue queue = queue_of(record);
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
  const auto packet = writer.begin(1);
  const auto batch = writer.begin(static_cast<uint32_t>(wire::Body::kActivities));
  const BatchHead head{
      .ring = ring,
      .first_record = records.first,
      .record_count = static_cast<uint32_t>(count),
      .clock = intervals ? static_cast<uint32_t>(clock_source) : static_cast<uint32_t>(wire::Clock::kCupti)};
  write_activity_columns(
      writer, head, queue_count, [&](size_t i) { return queues[i]; }, count,
      [&](size_t i) { return row_of(*records.activity_at(i), queue_of_record[i]); });
  writer.end(batch);
  writer.end(packet);
  return count;
}

void write_graph_nodes(WireWriter& writer, uint32_t ring, const RingRecords& records, const Offsets& nodes) {
  if (nodes.count == 0) return;
  const auto packet = writer.begin(1);
  const auto batch = writer.begin(static_cast<uint32_t>(wire::Body::kGraphNodes));
  writer.uint64(1, ring);
  auto column = [&](uint32_t field, auto&& value) {
    const auto mark = writer.begin(field);
    for (size_t i = 0; i < nodes.count; ++i) writer.varint(value(*records.graph_node_at(nodes.offset[i])));
    writer.end(mark);
  };
  column(2, [](const shm::GraphNodeRecord& record) { return record.node; });
  column(3, [](const shm::GraphNodeRecord& record) { return record.original; });
  column(4, [](const shm::GraphNodeRecord& record) { return uint64_t{record.span}; });
  writer.end(batch);
  writer.end(packet);
}

void write_device_clock(WireWriter& writer, uint64_t cupti_ns, uint64_t monotonic_ns, uint64_t error_ns) {
  const auto packet = writer.begin(1);
  const auto reading = writer.begin(static_cast<uint32_t>(wire::Body::kClock));
  writer.uint64(1, static_cast<uint64_t>(wire::Clock::kCupti));
  writer.uint64(2, cupti_ns);
  writer.uint64(3, monotonic_ns);
  writer.uint64(5, error_ns);
  writer.end(reading);
  writer.end(packet);
}

void write_device(WireWriter& writer, const DeviceDescription& device) {
  const auto packet = writer.begin(1);
  const auto body = writer.begin(static_cast<uint32_t>(wire::Body::kDevice));
  writer.uint64(1, device.index);
  writer.string(2, device.name);
  if (device.has_uuid) writer.bytes(3, device.uuid, sizeof device.uuid);
  writer.uint64(4, device.compute_capability_major);
  writer.uint64(5, device.compute_capability_minor);
  writer.uint64(6, device.multiprocessors);
  writer.uint64(7, device.memory_bytes);
  writer.uint64(8, device.clock_khz);
  writer.uint64(9, device.memory_clock_khz);
  writer.uint64(10, device.memory_bus_bits);
  writer.uint64(11, device.driver_version);
  writer.uint64(12, device.cupti_version);
  writer.uint64(13, device.l2_cache_bytes);
  if (device.chip != nullptr) writer.string(15, device.chip);
  writer.end(body);
  writer.end(packet);
}

}  // namespace xsp::guest
