#include "collector/writing/execution_stream.h"

#include <algorithm>

#include "collector/writing/trace_fields.h"

namespace xsp {
namespace {

constexpr size_t kBatchRows = 1024;
constexpr size_t kBatchQueues = 128;
constexpr size_t kFlushRows = 64;  // worth a packet of their own after kFlushAgeNs

bool is_execution(uint8_t kind) {
  return kind == static_cast<uint8_t>(wire::Kind::kKernel) || kind == static_cast<uint8_t>(wire::Kind::kMemcpy) ||
         kind == static_cast<uint8_t>(wire::Kind::kMemset);
}

}  // namespace

uint32_t ExecutionStream::index_of(const ActivityQueue& queue) {
  if (last_queue_ < queues_.size() && queues_[last_queue_] == queue) return last_queue_;
  const auto known = std::find(queues_.begin(), queues_.end(), queue);
  last_queue_ = static_cast<uint32_t>(known - queues_.begin());
  if (known == queues_.end()) queues_.push_back(queue);
  return last_queue_;
}

void ExecutionStream::append(const ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns) {
  if (rows_.size() == kBatchRows || queues_.size() == kBatchQueues) flush();
  if (rows_.empty()) waiting_since_ = now_ns;
  rows_.push_back(row);
  rows_.back().queue = index_of(queue);
  if (!is_execution(row.kind)) return;
  ++executions_;
  if (row.launch.ring == 0) ++unmatched_;
}

void ExecutionStream::flush() {
  if (rows_.empty()) return;
  const auto count = static_cast<uint32_t>(rows_.size());
  const BatchHead head{.thread = 0, .ring = kExecutionRing, .first_record = written_, .record_count = count};
  SpanTally tally{};
  for (const ActivityRow& row : rows_) ++tally[row.level];
  writer_.write(
      process_, Body::kActivities, kMaxBatchHeadBytes + queues_.size() * kMaxQueueBytes + count * kMaxActivityBytes,
      [&](WireWriter& body) {
        write_activity_columns(
            body, head, queues_.size(), [&](size_t i) -> const ActivityQueue& { return queues_[i]; }, count,
            [&](size_t i) -> const ActivityRow& { return rows_[i]; });
      },
      tally);
  written_ += count;
  rows_.clear();
  queues_.clear();
}

void ExecutionStream::flush_if_due(uint64_t now_ns) {
  if (rows_.empty()) {
    if (rows_.capacity() != 0) rows_ = std::vector<ActivityRow>();
    return;
  }
  const uint64_t age = now_ns - waiting_since_;
  if (age >= kFlushAnyAgeNs || (age >= kFlushAgeNs && rows_.size() >= kFlushRows)) flush();
}

}  // namespace xsp
