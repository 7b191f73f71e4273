/// The part of ProcessTrace that takes what CUPTI told: executions, calls of the CUDA API, graph nodes, devices,
/// gaps, counters.

#include <algorithm>
#include <array>
#include <tuple>

#include "base/monotonic_clock.h"
#include "collector/messages/counter_batch.h"
#include "collector/messages/peer_limits.h"
#include "collector/process/process_trace.h"

namespace xsp {
namespace {

using wire::Kind;

/// Nothing ran so long before CUPTI's clock was read or so long from now. A clock of CUPTI's that was stepped or not
/// yet known errs by less.
constexpr uint64_t kFarOffNs = uint64_t{4} * 3600 * 1'000'000'000;

bool is_api_call(uint8_t kind) {
  return kind == static_cast<uint8_t>(Kind::kRuntimeCall) || kind == static_cast<uint8_t>(Kind::kDriverCall);
}

bool is_of_device(uint8_t kind) {
  return kind >= static_cast<uint8_t>(Kind::kKernel) && kind <= static_cast<uint8_t>(Kind::kStreamInterval);
}

bool is_stream_interval(uint8_t kind) { return kind == static_cast<uint8_t>(Kind::kStreamInterval); }

/// A record as a row; times in the clock that its kind says.
ActivityRow to_row(const shm::ActivityRecord& record) {
  ActivityRow row;
  row.begin = record.begin;
  row.end = record.end;
  row.bytes = record.bytes;
  row.name = record.name;
  row.configuration = record.configuration;
  row.kind = record.kind;
  row.failed = (record.flags & shm::kFlagFailed) != 0;
  if (is_stream_interval(record.kind)) {
    row.launch = {record.correlation + 1, static_cast<uint32_t>(record.graph_node)};
  } else {
    row.correlation = record.correlation;
    row.graph_node = record.graph_node;
    row.graph = record.graph;
  }
  if (is_api_call(record.kind)) row.thread = record.context;
  return row;
}

}  // namespace

Status ProcessTrace::receive_activities(protozero::data_view bytes) {
  ActivityColumns& columns = recording_.activities;
  Status status = read_activity_columns(bytes, &columns);
  if (!status.ok()) return status;
  const BatchHead& head = columns.head;
  if (head.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  if (head.clock != clock_ && head.clock != static_cast<uint32_t>(TraceClock::kMonotonicNs) &&
      head.clock != static_cast<uint32_t>(TraceClock::kCupti)) {
    return Status{"a batch in another clock than its Hello"};
  }
  if (head.first_record > UINT64_MAX - head.record_count) return Status{"a batch beyond the last record"};
  if (!are_next(head)) return Status();
  RingStream& stream = ring(head.ring);
  stream.skip_to(head.first_record + head.record_count);

  if (head.clock == static_cast<uint32_t>(TraceClock::kTsc) && !clock_map_.has_rate()) complete_clock();
  const uint64_t now = monotonic_ns();
  bool has_executions = false;
  for (ActivityRow& row : columns.rows) has_executions |= !take_api_call(head.clock, row, now);
  api_calls_.end_batch(executions_, now, writer_);
  if (!has_executions) return Status();
  for (ActivityRow& row : columns.rows) {
    if (!is_api_call(row.kind)) take_activity(head.clock, row, columns.queues[row.queue], now);
  }
  executions_.retry_if_worthwhile(now);
  return Status();
}

bool ProcessTrace::convert(uint32_t clock, ActivityRow& row, uint64_t now_ns) {
  if (clock == static_cast<uint32_t>(TraceClock::kCupti)) {
    const bool has_time = row.begin != 0;
    std::tie(row.begin, row.end) = cupti_clock_.to_ns(row.begin, row.end);
    // Where a profiler in the program registers a clock, the first kernels behind it may have times that are a day off
    // (pytorch#192021). One of these would make the recording last a day.
    const bool is_clock_known = cupti_clock_.has_reading() && cupti_clock_.map().has_rate() && !cupti_clock_is_guessed_;
    const bool is_possible = !is_clock_known || (row.begin != 0 && row.begin <= now_ns + kFarOffNs &&
                                                 row.end + kFarOffNs >= cupti_clock_.first_reading_ns());
    if (!has_time || !is_possible) {
      losses_.add(LossReason::kZeroTime, 1, {});
      return false;
    }
  } else {
    row.begin = to_ns(clock, row.begin);
    row.end = std::max(row.begin, to_ns(clock, row.end));
  }
  row.name = known_string(row.name);
  row.configuration = known_string(row.configuration);
  return true;
}

bool ProcessTrace::take_api_call(uint32_t clock, ActivityRow& row, uint64_t now_ns) {
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

void ProcessTrace::take_activity(uint32_t clock, ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns) {
  if (!is_of_device(row.kind)) {
    losses_.add(LossReason::kCorrupt, 1, "activities of an unknown kind");
    return;
  }
  if (!convert(clock, row, now_ns)) return;
  // Who launched it is not the guest's to say, but of the spans that it measured itself.
  if (!is_stream_interval(row.kind)) row.launch = {};
  if (row.launch.ring > shm::kMaxRings) row.launch = {};
  row.capture = {};
  row.level = kLevelDevice;
  row.thread = 0;
  row.failed = false;
  executions_.add(row, queue, now_ns);
  ++spans_;
}

void ProcessTrace::add_launch(uint32_t ring, const SpanRow& row) {
  if (row.id == 0) return;
  executions_.add_launch(row.correlation, {row.start_ring != 0 ? row.start_ring : ring + 1, row.id});
}

Status ProcessTrace::receive_graph_nodes(protozero::data_view bytes) {
  uint32_t index = 0;
  std::array<protozero::data_view, 3> columns{};
  for (protozero::pbf_reader batch(bytes); batch.next();) {
    const uint32_t field = batch.tag();
    if (field == 1) {
      index = batch.get_uint32();
    } else if (field >= 2 && field <= 4) {
      columns[field - 2] = batch.get_view();
    } else {
      batch.skip();
    }
  }
  if (index >= shm::kMaxRings) return Status{"a ring beyond the last"};
  // Absent columns are all zeros.
  const char* at[3];
  const char* end[3];
  for (size_t i = 0; i < 3; ++i) {
    at[i] = columns[i].data();
    end[i] = at[i] + columns[i].size();
  }
  while (at[0] != end[0]) {
    uint64_t row[3] = {};
    for (size_t i = 0; i < 3; ++i) {
      if (columns[i].size() == 0) continue;
      if (at[i] == end[i]) return Status{"a column of graph nodes of wrong length"};
      row[i] = protozero::decode_varint(&at[i], end[i]);
    }
    add_graph_node(index, row[0], row[1], static_cast<uint32_t>(row[2]));
  }
  if (at[1] != end[1] || at[2] != end[2]) return Status{"a column of graph nodes of wrong length"};
  return Status();
}

/// Nodes that came by the socket and are found once more in a ring change nothing, so they are not held until their
/// records are covered.
void ProcessTrace::add_graph_node(uint32_t ring, uint64_t node, uint64_t original, uint32_t span) {
  const SpanReference reference = span == 0 ? SpanReference{} : SpanReference{ring + 1, span};
  if (!executions_.add_node(node, original, reference)) losses_.add(LossReason::kGraphNodes, 1, {});
}

void ProcessTrace::receive_gap(protozero::data_view bytes) {
  RecordingGap gap = read_gap(bytes);
  if (gap == last_gap_) return;
  if (gaps_ == kMaxGaps) notice(Severity::kWarning, "collector", "there were more gaps than are kept");
  if (++gaps_ > kMaxGaps) return;
  writer_.write(number_, Body::kGap, gap_capacity(gap), [&](WireWriter& body) { write_gap(body, gap); });
  const auto is_same = [&](const RecordingGap& other) {
    return other.reason == gap.reason && other.level == gap.level && other.begin_ns == gap.begin_ns;
  };
  std::erase_if(open_gaps_, is_same);
  if (gap.end_ns == 0 && open_gaps_.size() < kMaxOpenGaps) open_gaps_.push_back(gap);
  last_gap_ = std::move(gap);
}

void ProcessTrace::receive_device(protozero::data_view bytes) {
  DeviceDescription device = read_device(bytes);
  if (devices_.size() == kMaxDevices || std::find(devices_.begin(), devices_.end(), device) != devices_.end()) return;
  writer_.write(number_, Body::kDevice, device_capacity(device), [&](WireWriter& body) { write_device(body, device); });
  devices_.push_back(std::move(device));
}

Status ProcessTrace::receive_counters(protozero::data_view bytes) {
  CountedKernels batch;
  Status status = read_counted_kernels(bytes, &batch);
  if (!status.ok() || batch.names.empty()) return status;
  for (uint32_t& metric : batch.metrics) metric = known_string(metric);
  for (uint32_t& name : batch.names) name = known_string(name);
  writer_.write(number_, Body::kCounters, counted_kernels_capacity(batch),
                [&](WireWriter& body) { write_counted_kernels(body, batch); });
  return status;
}

/// Only its value tells in what domain CUPTI's clock is.
void ProcessTrace::add_cupti_reading(uint64_t ticks, uint64_t ns, uint64_t error_ns) {
  constexpr uint64_t kNear = 1'000'000'000;
  const auto is_near = [](uint64_t a, uint64_t b) { return (a < b ? b - a : a - b) < kNear; };
  double nominal = 0;
  if (is_near(ticks, ns) || is_near(ticks, ns + static_cast<uint64_t>(realtime_offset_ns()))) {
    nominal = 1;
  } else if (clock_map_.has_rate() && is_near(clock_map_.to_ns(ticks), ns)) {
    nominal = clock_map_.ticks_per_ns();
  }
  // Beyond this it is none of a reading.
  constexpr uint64_t kLargestErrorNs = 1'000'000;
  cupti_clock_.add_reading(ticks, ns, nominal, std::min(error_ns, kLargestErrorNs));
}

/// For a process that was killed before the first reading of CUPTI's clock arrived: takes the clock that a time of it
/// fits.
void ProcessTrace::guess_cupti_clock(uint64_t ticks) {
  constexpr uint64_t kMonth = uint64_t{30} * 24 * 3600 * 1'000'000'000;
  const uint64_t now = monotonic_ns();
  const uint64_t realtime = now + static_cast<uint64_t>(realtime_offset_ns());
  cupti_clock_is_guessed_ = true;
  const bool is_realtime = (ticks < realtime ? realtime - ticks : ticks - realtime) < kMonth;
  if (!is_realtime && clock_map_.has_reading() && clock_map_.has_rate()) {
    cupti_clock_.add_reading(clock_map_.last_ticks(), clock_map_.last_ns(), clock_map_.ticks_per_ns());
  } else {
    cupti_clock_.add_reading(realtime, now, 1);
  }
}

/// What was found in the rings: after all spans, so that launches come before what they launched.
void ProcessTrace::take_left_activities(uint64_t now_ns) {
  const auto clock_of = [&](const shm::ActivityRecord& record) {
    return is_stream_interval(record.kind) ? clock_ : static_cast<uint32_t>(TraceClock::kCupti);
  };
  for (const auto& record : left_activities_) {
    if (!cupti_clock_.has_reading() && !is_stream_interval(record.kind)) guess_cupti_clock(record.begin);
  }
  for (const auto& record : left_activities_) {
    if (!is_api_call(record.kind)) continue;
    ActivityRow row = to_row(record);
    take_api_call(clock_of(record), row, now_ns);
  }
  api_calls_.end_batch(executions_, now_ns, writer_);
  for (const auto& record : left_activities_) {
    if (is_api_call(record.kind)) continue;
    ActivityRow row = to_row(record);
    take_activity(clock_of(record), row, {record.device, record.context, record.stream}, now_ns);
  }
  left_activities_.clear();
}

}  // namespace xsp
