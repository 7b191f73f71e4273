#include "collector/process/process_trace.h"

#include <algorithm>

#include "base/monotonic_clock.h"
#include "base/text_encoding.h"
#include "collector/messages/peer_limits.h"
#include "proto/pbf.h"

namespace xsp {
namespace {

constexpr size_t kMaxTextBytes = 4096;

std::string text(protozero::data_view view) { return trace_text({view.data(), std::min(view.size(), kMaxTextBytes)}); }

}  // namespace

ProcessTrace::ProcessTrace(Recording& recording, uint32_t number, const ProcessDescription& hello,
                           std::unique_ptr<SharedMemoryReader> memory)
    : recording_(recording),
      writer_(recording.writer),
      number_(number),
      hello_(hello),
      account_(recording, number, monotonic_ns()),
      pid_(hello.pid),
      clock_(hello.clock),
      memory_(std::move(memory)),
      cupti_clock_(hello.start_ns),
      executions_(number, recording.writer, &account_),
      api_calls_(number, losses_, account_),
      profiles_(recording, number, losses_, &account_) {
  write_hello_packet();
  account_.write_total(monotonic_ns());
  write_storage_gap(false);
  recording_.add(this);
  ++recording_.summary.processes;
}

ProcessTrace::~ProcessTrace() {
  recording_.held_bytes -= held_;
  recording_.remove(this);
}

Status ProcessTrace::receive(Body body, protozero::data_view bytes) {
  if (said_goodbye_ || ended_) return Status();
  switch (body) {
    case Body::kStrings:
      return receive_strings(bytes);
    case Body::kSpans:
      return receive_spans(bytes);
    case Body::kTags:
      return receive_tags(bytes);
    case Body::kArguments:
      return receive_arguments(bytes);
    case Body::kActivities:
      return receive_activities(bytes);
    case Body::kGraphNodes:
      return receive_graph_nodes(bytes);
    case Body::kGap:
      receive_gap(bytes);
      break;
    case Body::kDevice:
      receive_device(bytes);
      break;
    case Body::kCounters:
      return receive_counters(bytes);
    case Body::kUnintercepted:
      return receive_unintercepted(bytes);
    case Body::kLoadedFiles:
      return receive_loaded_files(bytes);
    case Body::kUsedLibrary:
      return receive_used_library(bytes);
    case Body::kClock:
      receive_clock(bytes);
      break;
    case Body::kLoss:
      receive_loss(bytes);
      break;
    case Body::kNotice:
      receive_notice(bytes);
      break;
    case Body::kSampling:
      sampling_.receive(bytes);
      break;
    case Body::kOverhead:
      overhead_.receive(bytes);
      break;
    case Body::kProfileFile:
      return is_of_other_user() ? Status() : receive_profile_file(bytes);
    case Body::kProcessEnd:
      receive_end(bytes);
      break;
    case Body::kHello:
      return Status{"a second Hello"};
    default:
      break;  // what a later version may add
  }
  return Status();
}

Status ProcessTrace::receive_profile_file(protozero::data_view bytes) {
  ProfileSource source = read_profile_source(bytes);
  if (std::max(source.path.size(), source.origin.scope.size()) > kMaxTextBytes) {
    return Status{"a profile file with a path or scope of more than 4 KiB"};
  }
  profiles_.receive(std::move(source));
  return Status();
}

void ProcessTrace::receive_clock(protozero::data_view bytes) {
  uint32_t clock = 0;
  uint64_t ticks = 0;
  uint64_t ns = 0;
  uint64_t error_ns = 0;
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
      case 5:
        error_ns = reading.get_uint64();
        break;
      default:
        reading.skip();
    }
  }
  if (clock == static_cast<uint32_t>(TraceClock::kTsc) && clock == clock_) clock_map_.add_reading(ticks, ns);
  if (clock == static_cast<uint32_t>(TraceClock::kCupti)) add_cupti_reading(ticks, ns, error_ns);
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

void ProcessTrace::flush_if_due(uint64_t now_ns) {
  for (auto& stream : rings_) {
    if (stream != nullptr) stream->flush_if_due(now_ns, writer_);
  }
  count_held();
  api_calls_.flush_if_due(executions_, now_ns, writer_);
  executions_.flush_if_due(now_ns);
}

void ProcessTrace::end(EndHow how, std::string_view why) {
  if (ended_) return;
  ended_ = true;
  how_ = how;
  if (!why.empty()) why_ = why;
  const uint64_t now = monotonic_ns();
  end_ns_ = end_ns_ == 0 ? now : std::min(end_ns_, now);
  // With a goodbye everything was sent, tags and arguments too. Without one, those whose batch did not come are found
  // in the rings.
  const bool keep_held = said_goodbye_ || memory_ == nullptr;
  const uint64_t before = spans_ + api_calls_.count() + api_calls_.waiting();
  if (memory_ != nullptr) recover(now);
  for (auto& stream : rings_) {
    if (stream == nullptr) continue;
    if (keep_held) {
      stream->write_held_tags(writer_);
      stream->keep_held_arguments();
    }
    stream->flush(writer_);
  }
  rings_.clear();
  count_held();
  api_calls_.finish(executions_, now, writer_);
  executions_.finish(now);
  const uint64_t after = spans_ + api_calls_.count();
  recovered_ = after - std::min(after, before);
  if (recording_.parts == nullptr) memory_.reset();
  profiles_.process_ended();
}

bool ProcessTrace::work() {
  const bool more = profiles_.work() || (ended_ && !loaded_files_.empty() && recording_.static_libraries.work());
  if (!more && ended_ && !closed_) close();
  return more;
}

void ProcessTrace::give_up() {
  end(EndHow::kCutOff, "out of memory");
  if (!closed_) close();
}

void ProcessTrace::close() {
  closed_ = true;
  report_static_libraries();
  for (uint32_t reason = 0; reason < kLossReasons; ++reason) {
    const auto loss = losses_.total(static_cast<LossReason>(reason));
    if (loss.count != 0) recording_.summary.add_loss(static_cast<LossReason>(reason), loss.count, loss.detail);
  }
  write_losses();
  write_clocks();
  const uint64_t now = monotonic_ns();
  account_.write_minute(now, true);
  for (GuestTotals* totals : {&sampling_, &overhead_}) totals->write(writer_, number_, now, false);
  if (recording_.budget.off_since_ns()) write_storage_gap(true);
  const uint64_t spans = spans_ + api_calls_.count() + profiles_.spans();
  writer_.write(number_, Body::kProcessEnd, why_.size() + 112, [&](WireWriter& body) {
    body.uint64(1, static_cast<uint64_t>(how_));
    body.string(2, why_);
    body.uint64(3, end_ns_);
    body.uint64(4, spans);
    body.uint64(5, recovered_);
    body.uint64(6, guest_cpu_ns_);
    body.uint64(7, account_.not_stored());
  });
  if (how_ == EndHow::kDisconnected) ++recording_.summary.killed;
  recording_.summary.recovered += recovered_;
  recording_.summary.executions += executions_.executions();
  recording_.summary.unmatched_executions += executions_.unmatched();
  recording_.summary.measured_cpu_ns += overhead_.value(2);
  recording_.summary.overhead_ns += overhead_.value(3) + overhead_.value(4);
  keep_counts();
  recording_.remove(this);
  writer_.forget(number_);
  memory_.reset();
}

/// Totals: the last ones hold.
void ProcessTrace::write_losses() {
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
  }
}

void ProcessTrace::write_clocks() {
  if (clock_map_.has_reading()) write_clock(clock_, clock_map_, clock_map_.error_ns());
  if (cupti_clock_.has_reading()) {
    write_clock(static_cast<uint32_t>(TraceClock::kCupti), cupti_clock_.map(), cupti_clock_.error_ns());
  }
}

void ProcessTrace::write_clock(uint32_t clock, const ClockMap& map, uint64_t error_ns) {
  writer_.write(number_, Body::kClock, 64, [&](WireWriter& body) {
    body.uint64(1, clock);
    body.uint64(2, map.last_ticks());
    body.uint64(3, map.last_ns());
    body.uint64(5, error_ns);
    body.float64(6, map.ticks_per_ns());
  });
}

}  // namespace xsp
