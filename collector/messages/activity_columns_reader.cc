#include "collector/messages/activity_columns_reader.h"

#include <array>

#include "collector/messages/column_reader.h"
#include "collector/messages/peer_limits.h"
#include "collector/writing/trace_fields.h"

namespace xsp {
namespace {

constexpr uint32_t kFirstColumn = 7;
constexpr uint32_t kBeginColumn = 8;
constexpr uint32_t kLastColumn = 22;

ActivityQueue read_queue(protozero::pbf_reader fields) {
  ActivityQueue queue;
  while (fields.next()) {
    switch (fields.tag()) {
      case 1:
        queue.device = fields.get_uint32();
        break;
      case 2:
        queue.context = fields.get_uint32();
        break;
      case 3:
        queue.stream = fields.get_uint32();
        break;
      default:
        fields.skip();
    }
  }
  return queue;
}

}  // namespace

Status read_activity_columns(protozero::data_view bytes, ActivityColumns* columns) {
  std::array<protozero::data_view, kLastColumn + 1> column{};
  BatchHead& head = columns->head;
  std::vector<ActivityRow>& rows = columns->rows;
  head = {};
  rows.clear();
  columns->queues.clear();
  uint32_t count = 0;

  for (protozero::pbf_reader batch(bytes); batch.next();) {
    const uint32_t field = batch.tag();
    switch (field) {
      case 1:
        head.ring = batch.get_uint32();
        break;
      case 2:
        head.first_record = batch.get_uint64();
        break;
      case 3:
        head.record_count = batch.get_uint32();
        break;
      case 4:
        count = batch.get_uint32();
        break;
      case 5:
        head.clock = batch.get_uint32();
        break;
      case 6:
        if (columns->queues.size() == kMaxBatchQueues) return Status{"a batch of too many queues"};
        columns->queues.push_back(read_queue(batch.get_message()));
        break;
      default:
        if (field < kFirstColumn || field > kLastColumn) {
          batch.skip();
        } else if (column[field].size() != 0) {
          return Status{"an activity column came twice"};
        } else {
          column[field] = batch.get_view();
        }
    }
  }
  if (count > kMaxBatchSpans || head.record_count > kMaxBatchSpans) return Status{"a batch of too many activities"};
  if (count > head.record_count) return Status{"a batch of more activities than records"};
  if (head.clock > static_cast<uint32_t>(TraceClock::kCupti)) return Status{"a batch in an unknown clock"};
  // A byte holds one value at most, so the column that must be there bounds what is allocated.
  if (count > column[kBeginColumn].size()) return Status{"an activity column of wrong length"};
  if (columns->queues.empty()) columns->queues.emplace_back();

  rows.resize(count);
  bool ok = true;
  const auto read = [&](uint32_t field, auto&& take) { ok = ok && read_column(column[field], rows, take); };
  const auto read_id = [&](uint32_t field, uint32_t ActivityRow::*member) {
    read(field, [=](ActivityRow& row, uint64_t value) { row.*member = static_cast<uint32_t>(value); });
  };
  bool knows_queues = true;
  read(7, [&](ActivityRow& row, uint64_t value) {
    knows_queues &= value < columns->queues.size();
    row.queue = static_cast<uint32_t>(value);
  });
  uint64_t begin = 0;
  read(kBeginColumn, [&](ActivityRow& row, uint64_t value) {
    begin += static_cast<uint64_t>(protozero::decode_zigzag64(value));
    row.begin = row.end = begin;
  });
  bool overflow = false;
  read(9, [&](ActivityRow& row, uint64_t value) {
    row.end = row.begin + value;
    overflow |= row.end < row.begin;
  });
  read(10, [](ActivityRow& row, uint64_t value) {
    const auto level = static_cast<uint8_t>(value & 7);
    row.level = level < kLevels ? level : 0;
    row.kind = static_cast<uint8_t>(value >> 3);
  });
  read_id(11, &ActivityRow::name);
  read_id(12, &ActivityRow::configuration);
  read(13, [](ActivityRow& row, uint64_t value) { row.bytes = value; });
  DistanceColumn correlations;
  read(14,
       [&](ActivityRow& row, uint64_t value) { row.correlation = static_cast<uint32_t>(correlations.decode(value)); });
  DistanceColumn nodes;
  read(15, [&](ActivityRow& row, uint64_t value) { row.graph_node = nodes.decode(value); });
  read_id(16, &ActivityRow::graph);
  read_id(17, &ActivityRow::thread);
  read(18, [](ActivityRow& row, uint64_t value) { row.failed = value != 0; });
  read(19, [](ActivityRow& row, uint64_t value) { row.launch.ring = static_cast<uint32_t>(value); });
  DistanceColumn launches;
  read(20, [&](ActivityRow& row, uint64_t value) { row.launch.id = static_cast<uint32_t>(launches.decode(value)); });
  // Columns 21 and 22 are the collector's to write.
  if (!ok) return Status{"an activity column of wrong length"};
  if (!knows_queues) return Status{"an activity on a queue that its batch does not name"};
  if (overflow) return Status{"an activity that ends before it begins"};
  return Status();
}

}  // namespace xsp
