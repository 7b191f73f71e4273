#include "collector/messages/activity_columns_reader.h"

#include "collector/messages/peer_limits.h"
#include "proto/batch_readers.h"

namespace xsp {

Status read_activity_columns(protozero::data_view bytes, ActivityColumns* columns) {
  using Fields = wire::ActivityBatch;
  EncodedBatch<wire::ActivityBatch> batch;
  std::vector<ActivityRow>& rows = columns->rows;
  columns->head = {};
  columns->queues.clear();
  rows.clear();
  const auto take_queue = [&](std::string_view element) {
    if (columns->queues.size() == kMaxBatchQueues) return false;
    wire::read(element, &columns->queues.emplace_back());
    return true;
  };
  if (!read_batch({bytes.data(), bytes.size()}, Fields::kQueue, &batch, take_queue)) {
    return Status{columns->queues.size() == kMaxBatchQueues ? "a batch of too many queues"
                                                            : "an activity column came twice"};
  }
  columns->head = {.ring = batch.head.ring,
                   .first_record = batch.head.first_record,
                   .record_count = batch.head.record_count,
                   .clock = batch.head.clock};
  if (batch.count > kMaxBatchSpans || batch.head.record_count > kMaxBatchSpans) {
    return Status{"a batch of too many activities"};
  }
  if (batch.count > batch.head.record_count) return Status{"a batch of more activities than records"};
  if (batch.head.clock >= wire::kClockCount) return Status{"a batch in an unknown clock"};
  // A byte holds at most one value, so the mandatory column bounds what is allocated.
  if (batch.count > batch.encoded[Fields::kBegin].size()) return Status{"an activity column of wrong length"};
  if (columns->queues.empty()) columns->queues.emplace_back();

  rows.resize(batch.count);
  bool knows_queues = true;
  bool overflow = false;
  // Each of these reads one column into the rows.
  const auto read = [&](uint32_t field, auto&& take) {
    return batch.decode(field, [&](size_t i, uint64_t value) {
      take(rows[i], value);
      return true;
    });
  };
  const auto read_id = [&](uint32_t field, uint32_t ActivityRow::*member) {
    return read(field, [member](ActivityRow& row, uint64_t value) { row.*member = static_cast<uint32_t>(value); });
  };
  const auto read_distances = [&](uint32_t field, auto&& take) {
    return batch.decode_distances(field, [&](size_t i, uint64_t id) {
      take(rows[i], id);
      return true;
    });
  };
  // The columns for what captured a node are not read: only the collector writes them. Begin is read before duration,
  // which is added to it.
  const bool is_whole =
      read(Fields::kQueueIndex,
           [&](ActivityRow& row, uint64_t value) {
             knows_queues &= value < columns->queues.size();
             row.queue = static_cast<uint32_t>(value);
           }) &&
      batch.decode_sums(Fields::kBegin,
                        [&](size_t i, uint64_t begin) {
                          rows[i].begin = rows[i].end = begin;
                          return true;
                        }) &&
      read(Fields::kDuration,
           [&](ActivityRow& row, uint64_t value) {
             row.end = row.begin + value;
             overflow |= row.end < row.begin;
           }) &&
      read(Fields::kLevelKind,
           [](ActivityRow& row, uint64_t value) {
             const auto level = static_cast<uint8_t>(level_in(value));
             row.level = level < wire::kLevelCount ? level : 0;
             row.kind = static_cast<uint8_t>(kind_in(value));
           }) &&
      read_id(Fields::kName, &ActivityRow::name) && read_id(Fields::kConfiguration, &ActivityRow::configuration) &&
      read(Fields::kBytes, [](ActivityRow& row, uint64_t value) { row.bytes = value; }) &&
      read_distances(Fields::kCorrelation,
                     [](ActivityRow& row, uint64_t id) { row.correlation = static_cast<uint32_t>(id); }) &&
      read_distances(Fields::kGraphNode, [](ActivityRow& row, uint64_t id) { row.graph_node = id; }) &&
      read_id(Fields::kGraph, &ActivityRow::graph) && read_id(Fields::kThread, &ActivityRow::thread) &&
      read(Fields::kFailed, [](ActivityRow& row, uint64_t value) { row.failed = value != 0; }) &&
      read(Fields::kLaunchRing,
           [](ActivityRow& row, uint64_t value) { row.launch.ring = static_cast<uint32_t>(value); }) &&
      read_distances(Fields::kLaunch, [](ActivityRow& row, uint64_t id) { row.launch.id = static_cast<uint32_t>(id); });
  if (!is_whole) return Status{"an activity column of wrong length"};
  if (!knows_queues) return Status{"an activity on a queue that its batch does not name"};
  if (overflow) return Status{"an activity that ends before it begins"};
  return Status();
}

}  // namespace xsp
