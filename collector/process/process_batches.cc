#include <algorithm>

#include "base/monotonic_clock.h"
#include "collector/messages/batch_columns.h"
#include "collector/messages/peer_limits.h"
#include "collector/process/process_trace.h"

namespace xsp {

Status ProcessTrace::receive_strings(protozero::data_view bytes) {
  uint32_t first_id = 0;
  std::vector<std::string_view> texts;
  for (protozero::pbf_reader batch(bytes); batch.next();) {
    switch (batch.tag()) {
      case 1:
        first_id = batch.get_uint32();
        break;
      case 2: {
        const auto view = batch.get_view();
        if (view.size() > kMaxStringBytes) return Status{"a string of more than 256 KiB"};
        texts.emplace_back(view.data(), view.size());
        break;
      }
      default:
        batch.skip();
    }
  }
  if (first_id == 0 || first_id > strings_ + 1) return Status{"a gap in its strings"};
  const uint32_t known = strings_ + 1 - first_id;
  if (known >= texts.size()) return Status();
  texts.erase(texts.begin(), texts.begin() + known);
  if (texts.size() > kMaxStrings - strings_) return Status{"too many strings"};
  write_strings(strings_ + 1, texts);
  return Status();
}

void ProcessTrace::write_strings(uint32_t first_id, const std::vector<std::string_view>& texts) {
  size_t capacity = 32;
  for (const auto& value : texts) capacity += value.size() + 16;
  writer_.write(number_, Body::kStrings, capacity, [&](WireWriter& body) {
    body.uint64(1, first_id);
    for (const auto& value : texts) {
      const bool has_room = string_bytes_ + value.size() <= shm::kDefaultArenaBytes;
      if (!has_room) losses_.add(LossReason::kStringsFull, 1, "its names have too many bytes");
      string_bytes_ += has_room ? value.size() : 0;
      body.element(2, value.data(), has_room ? value.size() : 0);
    }
  });
  strings_ = first_id + static_cast<uint32_t>(texts.size()) - 1;
}

Status ProcessTrace::receive_spans(protozero::data_view bytes) {
  SpanColumns& columns = recording_.columns;
  Status status = read_span_columns(bytes, &columns);
  if (!status.ok()) return status;
  const BatchHead& head = columns.head;
  if (head.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  if (head.clock != clock_ && head.clock != static_cast<uint32_t>(TraceClock::kMonotonicNs)) {
    return Status{"a batch in another clock than its Hello"};
  }
  if (head.first_record > UINT64_MAX - head.record_count) return Status{"a batch beyond the last record"};

  if (!are_next(head)) return Status();
  const uint64_t now = monotonic_ns();
  if (head.clock != 0 && !clock_map_.has_rate()) complete_clock();
  for (SpanRow& row : columns.rows) {
    convert(head.clock, row);
    if (row.correlation != 0) add_launch(head.ring, row);
  }
  RingStream& stream = ring(head.ring);
  spans_ += columns.rows.size();
  const size_t before = stream.held_bytes();
  stream.append(head.thread, head.record_count, columns.rows, now, writer_, account_);
  stream.write_held_tags(writer_);
  executions_.retry_if_worthwhile(now);
  return check_held(stream, before);
}

Status ProcessTrace::check_held(const RingStream& stream, size_t before) {
  const size_t held = stream.held_bytes();
  if (held > before) {
    held_ += held - before;
    recording_.held_bytes += held - before;
  }
  const auto is_too_much = [&] {
    return held_ > kMaxHeldBytes || (recording_.held_bytes > kMaxHeldBytesOfAll && held_ > kMinHeldBytes);
  };
  if (!is_too_much()) return Status();
  count_held();
  if (!is_too_much()) return Status();
  for (auto& each : rings_) {
    if (each != nullptr) each->release(writer_);
  }
  count_held();
  return is_too_much() ? Status{"arguments of too many calls whose spans did not come"} : Status();
}

void ProcessTrace::count_held() {
  recording_.held_bytes -= held_;
  held_ = 0;
  for (const auto& stream : rings_) held_ += stream != nullptr ? stream->held_bytes() : 0;
  recording_.held_bytes += held_;
}

bool ProcessTrace::are_next(const BatchHead& head) {
  RingStream& stream = ring(head.ring);
  const uint64_t end = head.first_record + head.record_count;
  const uint64_t expected = stream.next_record();
  if (end <= expected) return false;
  if (head.first_record < expected) {
    losses_.add(LossReason::kCorrupt, end - expected, "a batch repeated records that were taken before");
    stream.skip_to(end);
    return false;
  }
  if (head.first_record > expected) {
    losses_.add(LossReason::kCorrupt, head.first_record - expected, "records between two batches are missing");
    stream.flush(writer_);
    stream.skip_to(head.first_record);
  }
  return true;
}

Status ProcessTrace::receive_tags(protozero::data_view bytes) {
  BatchColumns batch = read_batch_columns(bytes);
  if (batch.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  RingStream& stream = ring(batch.ring);
  const size_t before = stream.held_bytes();
  for (uint64_t row[3]; batch.next(row);) {
    stream.hold_tag({batch.thread, static_cast<uint32_t>(row[0]), known_string(static_cast<uint32_t>(row[1])),
                     known_string(static_cast<uint32_t>(row[2]))},
                    writer_);
  }
  if (!batch.is_at_end()) return Status{"a tag column of wrong length"};
  return check_held(stream, before);
}

Status ProcessTrace::receive_arguments(protozero::data_view bytes) {
  BatchColumns batch = read_batch_columns(bytes);
  if (batch.ring >= shm::kMaxRings) return Status{"a ring beyond the last"};
  RingStream& stream = ring(batch.ring);
  const size_t before = stream.held_bytes();
  std::string_view left = batch.values;
  uint32_t span = 0;
  for (uint64_t row[3]; batch.next(row);) {
    const auto [distance, layout, length] = row;
    span += static_cast<uint32_t>(protozero::decode_zigzag32(static_cast<uint32_t>(distance)));
    if (length > kMaxArgumentBytes) return Status{"a call's arguments of too many bytes"};
    if (length > left.size()) return Status{"arguments that are not all there"};
    const auto known = layout <= UINT32_MAX ? static_cast<uint32_t>(layout) : 0;
    if (!hold_arguments(stream, batch.thread, span, known, left.substr(0, length))) {
      return Status{"arguments of more calls than a batch has"};
    }
    left.remove_prefix(length);
  }
  if (!batch.is_at_end() || !left.empty()) return Status{"an argument column of wrong length"};
  return check_held(stream, before);
}

bool ProcessTrace::hold_arguments(RingStream& stream, uint32_t thread, uint32_t span, uint32_t layout,
                                  std::string_view values) {
  if (layout != 0 && layout <= strings_) return stream.hold_arguments(thread, span, layout, values);
  losses_.add(LossReason::kCorrupt, 1, "arguments of a call have an unknown layout");
  return true;
}

uint32_t ProcessTrace::known_string(uint32_t id) {
  if (id <= strings_) return id;
  if (!unknown_string_used_) {
    unknown_string_used_ = true;
    notice(Severity::kWarning, "collector", "process " + std::to_string(pid_) + " used names before it sent them");
  }
  return 0;
}

uint64_t ProcessTrace::to_ns(uint32_t clock, uint64_t time) const {
  return clock == static_cast<uint32_t>(TraceClock::kMonotonicNs) ? time : clock_map_.to_ns(time);
}

void ProcessTrace::convert(uint32_t clock, SpanRow& row) {
  row.begin = to_ns(clock, row.begin);
  row.end = std::max(row.begin, to_ns(clock, row.end));
  row.name = known_string(row.name);
  row.type = known_string(row.type);
  row.shape = known_string(row.shape);
  row.input = known_string(row.input);
  row.scope = known_string(row.scope);
}

}  // namespace xsp
