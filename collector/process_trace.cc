#include "collector/process_trace.h"

#include <algorithm>

#include "collector/peer_limits.h"
#include "collector/tsc_rate.h"
#include "collector/utf8.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

constexpr size_t kMaxTextBytes = 4096;

std::string text(protozero::data_view view) { return valid_utf8({view.data(), std::min(view.size(), kMaxTextBytes)}); }

}  // namespace

ProcessTrace::ProcessTrace(Recording& recording, uint32_t number, const ProcessDescription& hello,
                           std::unique_ptr<SharedMemoryReader> memory)
    : recording_(recording),
      writer_(recording.writer),
      number_(number),
      pid_(hello.pid),
      clock_(hello.clock),
      memory_(std::move(memory)),
      profiles_(recording, number, losses_) {
  writer_.write(number_, Body::kHello, hello_capacity(hello), [&](WireWriter& body) { write_hello(body, hello); });
  ++recording_.summary.processes;
}

Status ProcessTrace::receive(Body body, protozero::data_view bytes) {
  if (said_goodbye_ || ended_) return Status::ok();
  switch (body) {
    case Body::kStrings:
      return receive_strings(bytes);
    case Body::kSpans:
      return receive_spans(bytes);
    case Body::kTags:
      return receive_tags(bytes);
    case Body::kArguments:
      return receive_arguments(bytes);
    case Body::kUnintercepted:
      return receive_unintercepted(bytes);
    case Body::kLoadedFiles:
      return receive_loaded_files(bytes);
    case Body::kClock:
      receive_clock(bytes);
      break;
    case Body::kLoss:
      receive_loss(bytes);
      break;
    case Body::kNotice:
      receive_notice(bytes);
      break;
    case Body::kProfileFile:
      if (!profiles_.receive(read_profile_source(bytes))) return Status::error("it announced too many profile files");
      break;
    case Body::kProcessEnd:
      receive_end(bytes);
      break;
    case Body::kHello:
      return Status::error("a second Hello");
    default:
      break;  // what a later version may add
  }
  return Status::ok();
}

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
        if (view.size() > kMaxStringBytes) return Status::error("a string of more than 256 KiB");
        texts.emplace_back(view.data(), view.size());
        break;
      }
      default:
        batch.skip();
    }
  }
  if (first_id == 0 || first_id > strings_ + 1) return Status::error("a gap in its strings");
  const uint32_t known = strings_ + 1 - first_id;
  if (known >= texts.size()) return Status::ok();
  texts.erase(texts.begin(), texts.begin() + known);
  if (texts.size() > kMaxStrings - strings_) return Status::error("too many strings");
  write_strings(strings_ + 1, texts);
  return Status::ok();
}

void ProcessTrace::write_strings(uint32_t first_id, const std::vector<std::string_view>& texts) {
  size_t capacity = 32;
  for (const auto& value : texts) capacity += value.size() + 16;
  writer_.write(number_, Body::kStrings, capacity, [&](WireWriter& body) {
    body.uint64(1, first_id);
    for (const auto& value : texts) body.element(2, value.data(), value.size());
  });
  strings_ = first_id + static_cast<uint32_t>(texts.size()) - 1;
}

Status ProcessTrace::receive_spans(protozero::data_view bytes) {
  SpanColumns& columns = recording_.columns;
  Status status = read_span_columns(bytes, &columns);
  if (!status.is_ok()) return status;
  const BatchHead& head = columns.head;
  if (head.ring >= shm::kMaxRings) return Status::error("a ring beyond the last");
  if (head.clock != clock_ && head.clock != static_cast<uint32_t>(TraceClock::kMonotonicNs)) {
    return Status::error("a batch in another clock than its Hello");
  }
  if (head.first_record > UINT64_MAX - head.record_count) return Status::error("a batch beyond the last record");

  RingStream& stream = ring(head.ring);
  const uint64_t end = head.first_record + head.record_count;
  const uint64_t expected = stream.next_record();
  if (end <= expected) return Status::ok();
  if (head.first_record < expected) {
    losses_.add(LossReason::kCorrupt, end - expected, "a batch repeated records that were taken before");
    stream.skip_to(end);
    return Status::ok();
  }
  if (head.first_record > expected) {
    losses_.add(LossReason::kCorrupt, head.first_record - expected, "records between two batches are missing");
    stream.flush(writer_);
    stream.skip_to(head.first_record);
  }
  if (head.clock != 0 && !clock_map_.has_rate()) complete_clock();
  for (SpanRow& row : columns.rows) convert(head.clock, row);
  stream.append(head.thread, head.record_count, columns.rows.data(), columns.rows.size(), monotonic_ns(), writer_);
  stream.write_held_tags(writer_);
  spans_ += columns.rows.size();
  return Status::ok();
}

Status ProcessTrace::receive_tags(protozero::data_view bytes) {
  uint32_t thread = 0;
  uint32_t ring_index = 0;
  protozero::data_view columns[3]{};
  for (protozero::pbf_reader batch(bytes); batch.next();) {
    switch (batch.tag()) {
      case 1:
        thread = batch.get_uint32();
        break;
      case 2:
        ring_index = batch.get_uint32();
        break;
      case 3:
      case 4:
      case 5: {
        const auto column = batch.tag() - 3;
        columns[column] = batch.get_view();
        break;
      }
      default:
        batch.skip();
    }
  }
  if (ring_index >= shm::kMaxRings) return Status::error("a ring beyond the last");
  RingStream& stream = ring(ring_index);
  const char* at[3];
  const char* end[3];
  for (size_t i = 0; i < 3; ++i) {
    at[i] = columns[i].data();
    end[i] = at[i] + columns[i].size();
  }
  while (at[0] != end[0] && at[1] != end[1] && at[2] != end[2]) {
    uint32_t values[3];
    for (size_t i = 0; i < 3; ++i) values[i] = static_cast<uint32_t>(protozero::decode_varint(&at[i], end[i]));
    stream.hold_tag({thread, values[0], known_string(values[1]), known_string(values[2])}, writer_);
  }
  const bool equal = at[0] == end[0] && at[1] == end[1] && at[2] == end[2];
  return equal ? Status::ok() : Status::error("a tag column of wrong length");
}

Status ProcessTrace::receive_arguments(protozero::data_view bytes) {
  uint32_t thread = 0;
  uint32_t ring_index = 0;
  protozero::data_view columns[3]{};
  protozero::data_view values{};
  for (protozero::pbf_reader batch(bytes); batch.next();) {
    switch (batch.tag()) {
      case 1:
        thread = batch.get_uint32();
        break;
      case 2:
        ring_index = batch.get_uint32();
        break;
      case 3:
      case 4:
      case 5: {
        const auto column = batch.tag() - 3;
        columns[column] = batch.get_view();
        break;
      }
      case 6:
        values = batch.get_view();
        break;
      default:
        batch.skip();
    }
  }
  if (ring_index >= shm::kMaxRings) return Status::error("a ring beyond the last");
  RingStream& stream = ring(ring_index);
  const char* at[3];
  const char* end[3];
  for (size_t i = 0; i < 3; ++i) {
    at[i] = columns[i].data();
    end[i] = at[i] + columns[i].size();
  }
  std::string_view left(values.data(), values.size());
  uint32_t span = 0;
  while (at[0] != end[0] && at[1] != end[1] && at[2] != end[2]) {
    span += static_cast<uint32_t>(
        protozero::decode_zigzag32(static_cast<uint32_t>(protozero::decode_varint(&at[0], end[0]))));
    const uint64_t layout = protozero::decode_varint(&at[1], end[1]);
    const uint64_t length = protozero::decode_varint(&at[2], end[2]);
    if (length > kMaxArgumentBytes) return Status::error("a call's arguments of too many bytes");
    if (length > left.size()) return Status::error("arguments that are not all there");
    const auto known = layout <= UINT32_MAX ? static_cast<uint32_t>(layout) : 0;
    if (!hold_arguments(stream, thread, span, known, left.substr(0, length))) {
      return Status::error("arguments of more calls than a batch has");
    }
    left.remove_prefix(length);
  }
  const bool equal = at[0] == end[0] && at[1] == end[1] && at[2] == end[2] && left.empty();
  return equal ? Status::ok() : Status::error("an argument column of wrong length");
}

bool ProcessTrace::hold_arguments(RingStream& stream, uint32_t thread, uint32_t span, uint32_t layout,
                                  std::string_view values) {
  if (layout != 0 && layout <= strings_) return stream.hold_arguments(thread, span, layout, values);
  losses_.add(LossReason::kCorrupt, 1, "arguments of a call have an unknown layout");
  return true;
}

Status ProcessTrace::receive_unintercepted(protozero::data_view bytes) {
  UninterceptedLibrary library;
  Status status = read_unintercepted(bytes, &library);
  if (status.is_ok()) keep_unintercepted(std::move(library));
  return status;
}

void ProcessTrace::keep_unintercepted(UninterceptedLibrary library) {
  if (unintercepted_.size() == kMaxUnintercepted ||
      std::find(unintercepted_.begin(), unintercepted_.end(), library) != unintercepted_.end()) {
    return;
  }
  writer_.write(number_, Body::kUnintercepted, unintercepted_capacity(library),
                [&](WireWriter& body) { write_unintercepted(body, library); });
  unintercepted_.push_back(std::move(library));
}

Status ProcessTrace::receive_loaded_files(protozero::data_view bytes) {
  Status status = read_loaded_files(bytes, &loaded_files_);
  if (status.is_ok()) recording_.static_libraries.add(loaded_files_);
  return status;
}

void ProcessTrace::report_static_libraries() {
  constexpr uint32_t kStatic = 2;
  for (const std::string& path : loaded_files_) {
    for (std::string& name : recording_.static_libraries.found_in(path)) {
      keep_unintercepted({kStatic, std::move(name), valid_utf8(path), {}, {}});
    }
  }
}

void ProcessTrace::receive_clock(protozero::data_view bytes) {
  uint32_t clock = 0;
  uint64_t ticks = 0;
  uint64_t ns = 0;
  for (protozero::pbf_reader reading(bytes); reading.next();) {
    switch (reading.tag()) {
      case 1:
        clock = static_cast<uint32_t>(reading.get_enum());
        break;
      case 2:
        ticks = reading.get_uint64();
        break;
      case 3:
        ns = reading.get_uint64();
        break;
      default:
        reading.skip();
    }
  }
  if (clock == static_cast<uint32_t>(TraceClock::kTsc) && clock == clock_) clock_map_.add_reading(ticks, ns);
}

void ProcessTrace::receive_loss(protozero::data_view bytes) {
  uint32_t reason = 0;
  uint64_t count = 0;
  std::string detail;
  uint64_t first_ns = 0;
  uint64_t last_ns = 0;
  for (protozero::pbf_reader loss(bytes); loss.next();) {
    switch (loss.tag()) {
      case 1:
        reason = static_cast<uint32_t>(loss.get_enum());
        break;
      case 2:
        count = loss.get_uint64();
        break;
      case 3:
        detail = text(loss.get_view());
        break;
      case 4:
        first_ns = loss.get_uint64();
        break;
      case 5:
        last_ns = loss.get_uint64();
        break;
      default:
        loss.skip();
    }
  }
  losses_.report_total(reason, count, detail, first_ns, last_ns);
}

void ProcessTrace::receive_notice(protozero::data_view bytes) {
  uint32_t severity = 0;
  std::string component;
  std::string what;
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    switch (fields.tag()) {
      case 1:
        severity = static_cast<uint32_t>(fields.get_enum());
        break;
      case 2:
        component = text(fields.get_view());
        break;
      case 3:
        what = text(fields.get_view());
        break;
      default:
        fields.skip();
    }
  }
  notice(severity <= 2 ? static_cast<Severity>(severity) : Severity::kWarning, component, what);
}

void ProcessTrace::notice(Severity severity, std::string_view component, std::string_view what) {
  if (notices_++ >= kMaxNotices) return;
  writer_.write(number_, Body::kNotice, component.size() + what.size() + 64, [&](WireWriter& body) {
    body.uint64(1, static_cast<uint64_t>(severity));
    body.string(2, component);
    body.string(3, what);
  });
  recording_.summary.add_notice(severity, component, what);
}

void ProcessTrace::receive_end(protozero::data_view bytes) {
  for (protozero::pbf_reader fields(bytes); fields.next();) {
    switch (fields.tag()) {
      case 2:
        why_ = text(fields.get_view());
        break;
      case 3:
        end_ns_ = fields.get_uint64();
        break;
      case 6:
        guest_cpu_ns_ = fields.get_uint64();
        break;
      default:
        fields.skip();
    }
  }
  said_goodbye_ = true;
}

RingStream& ProcessTrace::ring(uint32_t index) {
  while (rings_.size() <= index) rings_.push_back(nullptr);
  if (rings_[index] == nullptr) rings_[index] = std::make_unique<RingStream>(number_, index);
  return *rings_[index];
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

void ProcessTrace::flush_if_due(uint64_t now_ns) {
  for (auto& stream : rings_) {
    if (stream != nullptr) stream->flush_if_due(now_ns, writer_);
  }
}

void ProcessTrace::end(EndHow how, std::string_view why) {
  if (ended_) return;
  ended_ = true;
  how_ = how;
  if (!why.empty()) why_ = why;
  if (end_ns_ == 0) end_ns_ = monotonic_ns();
  // With a goodbye everything was sent, tags and arguments too. Without one, those whose batch did not come are found
  // in the rings.
  const bool keep_held = said_goodbye_ || memory_ == nullptr;
  if (memory_ != nullptr) recover();
  for (auto& stream : rings_) {
    if (stream == nullptr) continue;
    if (keep_held) {
      stream->write_held_tags(writer_);
      stream->keep_held_arguments();
    }
    stream->flush(writer_);
  }
  rings_.clear();
  memory_.reset();
  profiles_.process_ended();
}

bool ProcessTrace::work() {
  const bool more = profiles_.work() || (ended_ && !loaded_files_.empty() && recording_.static_libraries.work());
  if (!more && ended_ && !closed_) close();
  return more;
}

void ProcessTrace::close() {
  closed_ = true;
  report_static_libraries();
  for (uint32_t reason = 0; reason < kLossReasons; ++reason) {
    const auto loss = losses_.total(static_cast<LossReason>(reason));
    if (loss.count == 0) continue;
    writer_.write(number_, Body::kLoss, loss.detail.size() + 64, [&](WireWriter& body) {
      body.uint64(1, reason);
      body.uint64(2, loss.count);
      body.string(3, loss.detail);
      body.uint64(4, loss.first_ns);
      body.uint64(5, loss.last_ns);
    });
    recording_.summary.add_loss(static_cast<LossReason>(reason), loss.count, loss.detail);
  }
  if (clock_map_.has_reading()) {
    writer_.write(number_, Body::kClock, 64, [&](WireWriter& body) {
      body.uint64(1, clock_);
      body.uint64(2, clock_map_.last_ticks());
      body.uint64(3, clock_map_.last_ns());
      body.uint64(5, clock_map_.error_ns());
      body.float64(6, clock_map_.ticks_per_ns());
    });
  }
  writer_.write(number_, Body::kProcessEnd, why_.size() + 96, [&](WireWriter& body) {
    body.uint64(1, static_cast<uint64_t>(how_));
    body.string(2, why_);
    body.uint64(3, end_ns_);
    body.uint64(4, spans_ + profiles_.spans());
    body.uint64(5, recovered_);
    body.uint64(6, guest_cpu_ns_);
  });
  if (how_ == EndHow::kDisconnected) ++recording_.summary.killed;
  recording_.summary.recovered += recovered_;
}

}  // namespace xsp
