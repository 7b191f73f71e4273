#include "collector/process/process_activities.h"

#include <algorithm>
#include <tuple>

#include "base/monotonic_clock.h"
#include "collector/messages/guest_messages.h"
#include "collector/messages/peer_limits.h"
#include "proto/record_rows.h"
#include "proto/row_batch_readers.h"

namespace xsp {
namespace {

using wire::Kind;

/// Nothing can have run this long before CUPTI's clock was first read, or this long after now. The error of a clock
/// that was stepped, or is not yet known, is smaller.
constexpr uint64_t kFarOffNs = uint64_t{4} * 3600 * 1'000'000'000;

/// How many records of an ended process may wait until all its rings have been read.
constexpr size_t kMaxLeft = size_t{4} * shm::kRingRecords;

bool is_of_device(uint8_t kind) {
  return kind >= static_cast<uint8_t>(Kind::kKernel) && kind <= static_cast<uint8_t>(Kind::kStreamInterval);
}

}  // namespace

Status ProcessActivities::receive(protozero::data_view bytes) {
  ActivityColumns& columns = context_.recording.activities;
  Status status = read_activity_columns(bytes, &columns);
  if (!status.ok()) return status;
  const BatchHead& head = columns.head;
  if (head.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  if (head.clock != context_.hello.clock && head.clock != static_cast<uint32_t>(TraceClock::kMonotonicNs) &&
      head.clock != static_cast<uint32_t>(TraceClock::kCupti)) {
    return Status{"a batch in another clock than its Hello"};
  }
  if (head.first_record > UINT64_MAX - head.record_count) return Status{"a batch beyond the last record"};
  if (!rings_.are_next(head)) return Status();
  RingStream& stream = rings_.ring(head.ring);
  stream.skip_to(head.first_record + head.record_count);

  if (head.clock == static_cast<uint32_t>(TraceClock::kTsc) && !clocks_.has_rate()) clocks_.complete();
  const uint64_t now = monotonic_ns();
  bool has_executions = false;
  // Calls first: they launch the executions in the same batch.
  for (ActivityRow& row : columns.rows) has_executions |= !take_api_call(head.clock, row, now);
  api_calls_.end_batch(executions_, now, context_.writer);
  if (!has_executions) return Status();
  for (ActivityRow& row : columns.rows) {
    if (!is_api_call(row.kind)) take_execution(head.clock, row, columns.queues[row.queue], now);
  }
  executions_.retry_if_worthwhile(now);
  return Status();
}

bool ProcessActivities::convert(uint32_t clock, ActivityRow& row, uint64_t now_ns) {
  if (clock == static_cast<uint32_t>(TraceClock::kCupti)) {
    const bool has_time = row.begin != 0;
    std::tie(row.begin, row.end) = clocks_.cupti().to_ns(row.begin, row.end);
    // When a profiler in the program registers a clock, the times of the first kernels afterwards may be a day off
    // (pytorch#192021). Just one of them would make the recording last a day.
    const bool is_clock_known =
        clocks_.cupti().has_reading() && clocks_.cupti().map().has_rate() && !clocks_.cupti_is_guessed();
    const bool is_possible = !is_clock_known || (row.begin != 0 && row.begin <= now_ns + kFarOffNs &&
                                                 row.end + kFarOffNs >= clocks_.cupti().first_reading_ns());
    if (!has_time || !is_possible) {
      context_.losses.add(LossReason::kZeroTime, 1, {});
      return false;
    }
  } else {
    clocks_.convert(clock, row.begin, row.end);
  }
  row.name = names_.known(row.name);
  row.configuration = names_.known(row.configuration);
  return true;
}

bool ProcessActivities::take_api_call(uint32_t clock, ActivityRow& row, uint64_t now_ns) {
  if (!is_api_call(row.kind)) return false;
  if (!convert(clock, row, now_ns)) return true;
  SpanRow call;
  call.begin = row.begin;
  call.end = row.end;
  call.name = row.name;
  call.type = row.configuration;
  call.correlation = row.correlation;
  call.level = kLevelRuntime;
  call.kind = row.kind;
  call.failed = row.failed;
  api_calls_.add(row.thread, call, now_ns);
  return true;
}

void ProcessActivities::take_execution(uint32_t clock, ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns) {
  if (!is_of_device(row.kind)) {
    context_.losses.add(LossReason::kCorrupt, 1, "activities of an unknown kind");
    return;
  }
  if (!convert(clock, row, now_ns)) return;
  // The guest may name the launch only for spans that it measured itself; for all others the join finds it.
  if (!is_stream_interval(row.kind)) row.launch = {};
  if (row.launch.ring > shm::kMaxRings) row.launch = {};
  row.capture = {};
  row.level = kLevelDevice;
  row.thread = 0;
  row.failed = false;
  executions_.add(row, queue, now_ns);
  ++count_;
}

void ProcessActivities::add_launch(uint32_t ring, const SpanRow& row) {
  if (row.id == 0) return;
  executions_.add_launch(row.correlation, {row.start_ring != 0 ? row.start_ring : ring + 1, row.id});
}

Status ProcessActivities::receive_graph_nodes(protozero::data_view bytes) {
  GraphNodesReader batch(view_of(bytes));
  if (batch.head().ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  for (GraphNodesReader::Row row; batch.next(&row);) {
    add_graph_node(batch.head().ring, row.node, row.original, row.span);
  }
  return batch.is_whole() ? Status() : Status{"a column of graph nodes of wrong length"};
}

/// A node that arrived through the socket and is found again in a ring changes nothing, so nodes are not held until
/// their records are covered.
void ProcessActivities::add_graph_node(uint32_t ring, uint64_t node, uint64_t original, uint32_t span) {
  const SpanReference reference = span == 0 ? SpanReference{} : SpanReference{ring + 1, span};
  if (!executions_.add_node(node, original, reference)) context_.losses.add(LossReason::kGraphNodes, 1, {});
}

void ProcessActivities::hold_left(const shm::ActivityRecord& record, uint64_t now_ns) {
  left_.push_back(record);
  if (left_.size() == kMaxLeft) take_left(now_ns);
}

void ProcessActivities::take_left(uint64_t now_ns) {
  const auto clock_of = [&](const shm::ActivityRecord& record) {
    return is_stream_interval(record.kind) ? context_.hello.clock : static_cast<uint32_t>(TraceClock::kCupti);
  };
  for (const auto& record : left_) {
    // Before any is converted; the guess is based on the first such record.
    if (!clocks_.cupti().has_reading() && !is_stream_interval(record.kind)) clocks_.guess_cupti(record.begin);
  }
  for (const auto& record : left_) {
    if (!is_api_call(record.kind)) continue;
    ActivityRow row = row_of(record, 0);
    take_api_call(clock_of(record), row, now_ns);
  }
  api_calls_.end_batch(executions_, now_ns, context_.writer);
  for (const auto& record : left_) {
    if (is_api_call(record.kind)) continue;
    ActivityRow row = row_of(record, 0);
    take_execution(clock_of(record), row, {record.device, record.context, record.stream}, now_ns);
  }
  left_.clear();
}

void ProcessActivities::flush() {
  api_calls_.flush(context_.writer);
  executions_.flush();
}

void ProcessActivities::flush_if_due(uint64_t now_ns) {
  api_calls_.flush_if_due(executions_, now_ns, context_.writer);
  executions_.flush_if_due(now_ns);
}

void ProcessActivities::finish(uint64_t now_ns) {
  api_calls_.finish(executions_, now_ns, context_.writer);
  executions_.finish(now_ns);
}

}  // namespace xsp
