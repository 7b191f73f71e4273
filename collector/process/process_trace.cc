#include "collector/process/process_trace.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/monotonic_clock.h"
#include "base/text_encoding.h"
#include "collector/process/process_recovery.h"
#include "proto/pbf.h"

namespace xsp {

ProcessTrace::ProcessTrace(Recording& recording, uint32_t number, const ProcessDescription& hello,
                           std::unique_ptr<SharedMemoryReader> memory)
    : context_(recording, number, hello, std::move(memory)),
      account_(recording.storage, number, monotonic_ns()),
      names_(context_),
      clocks_(context_),
      rings_(context_),
      activities_(context_, names_, clocks_, rings_, account_),
      spans_(context_, names_, clocks_, rings_, activities_, account_),
      gaps_(context_),
      devices_(context_, names_),
      libraries_(context_),
      thread_counts_(context_),
      profiles_(recording, number, context_.losses, &account_) {
  context_.write_hello_packet();
  account_.write_total(monotonic_ns());
  write_storage_gap(false);
  recording.add(this);
  ++recording.summary.processes;
}

ProcessTrace::~ProcessTrace() { context_.recording.remove(this); }

Status ProcessTrace::receive(Body body, protozero::data_view bytes) {
  if (said_goodbye_ || ended_) return Status();
  switch (body) {
    case Body::kStrings:
      return names_.receive(bytes);
    case Body::kSpans:
      return spans_.receive(bytes);
    case Body::kTags:
      return spans_.receive_tags(bytes);
    case Body::kArguments:
      return spans_.receive_arguments(bytes);
    case Body::kActivities:
      return activities_.receive(bytes);
    case Body::kGraphNodes:
      return activities_.receive_graph_nodes(bytes);
    case Body::kGap:
      gaps_.receive(bytes);
      break;
    case Body::kDevice:
      devices_.receive(bytes);
      break;
    case Body::kCounters:
      return devices_.receive_counters(bytes);
    case Body::kUnintercepted:
      return libraries_.receive_unintercepted(bytes);
    case Body::kLoadedFiles:
      return libraries_.receive_loaded_files(bytes);
    case Body::kUsedLibrary:
      return libraries_.receive_used(bytes);
    case Body::kThreadCounts:
      return thread_counts_.receive(bytes);
    case Body::kClock:
      clocks_.receive(bytes);
      break;
    case Body::kLoss:
      context_.receive_loss(bytes);
      break;
    case Body::kNotice:
      context_.receive_notice(bytes);
      break;
    case Body::kSampling:
      sampling_.receive(bytes);
      break;
    case Body::kOverhead:
      overhead_.receive(bytes);
      break;
    case Body::kProfileFile:
      return context_.is_of_other_user() ? Status() : profiles_.receive(bytes);
    case Body::kProcessEnd:
      receive_end(bytes);
      break;
    case Body::kHello:
      return Status{"a second Hello"};
    default:
      break;  // added by a later version
  }
  return Status();
}

void ProcessTrace::receive_end(protozero::data_view bytes) {
  const auto end = with_own_texts(read_message<wire::ProcessEnd>(bytes));
  why_ = end.why;
  end_ns_ = end.end_ns;
  guest_cpu_ns_ = end.guest_cpu_ns;
  said_goodbye_ = true;
}

void ProcessTrace::flush_if_due(uint64_t now_ns) {
  rings_.flush_if_due(now_ns);
  activities_.flush_if_due(now_ns);
}

void ProcessTrace::end(EndHow how, std::string_view why) {
  if (ended_) return;
  ended_ = true;
  how_ = how;
  if (!why.empty()) why_ = why;
  const uint64_t now = monotonic_ns();
  // A guest may claim an end that lies in the future.
  end_ns_ = end_ns_ == 0 ? now : std::min(end_ns_, now);
  // After a goodbye everything was sent, tags and arguments included. Otherwise, those whose batch did not come are
  // found in the rings.
  const bool keep_held = said_goodbye_ || context_.memory == nullptr;
  const uint64_t before = spans_.count() + activities_.came();
  if (context_.memory != nullptr) {
    ProcessRecovery recovery(context_, names_, clocks_, rings_, activities_, spans_, libraries_);
    const bool left_by_exit = recovery.run(said_goodbye_, now);
    if (left_by_exit && how_ == EndHow::kDisconnected) how_ = EndHow::kGoodbye;
  }
  rings_.finish(keep_held);
  activities_.finish(now);
  const uint64_t after = spans_.count() + activities_.count();
  recovered_ = after - std::min(after, before);
  // A recording in parts still needs the memory: a part that begins before close() takes the names from it.
  if (context_.recording.parts == nullptr) context_.memory.reset();
  profiles_.process_ended();
}

bool ProcessTrace::work() {
  const bool more =
      profiles_.work() || (ended_ && libraries_.has_loaded_files() && context_.recording.static_libraries.work());
  if (!more && ended_ && !closed_) close();
  return more;
}

void ProcessTrace::give_up() {
  end(EndHow::kCutOff, "out of memory");
  if (!closed_) close();
}

void ProcessTrace::close() {
  closed_ = true;
  // What work() has found so far in the process's files.
  libraries_.report_static();
  for (uint32_t reason = 0; reason < kLossReasons; ++reason) {
    const auto loss = context_.losses.total(static_cast<LossReason>(reason));
    if (loss.count != 0) {
      context_.recording.summary.add_loss(static_cast<LossReason>(reason), loss.count, loss.detail);
    }
  }
  context_.write_losses();
  clocks_.write();
  const uint64_t now = monotonic_ns();
  account_.write_minute(now, true);
  sampling_.write(context_.writer, context_.number, now, false);
  overhead_.write(context_.writer, context_.number, now, false);
  if (context_.recording.storage.budget().off_since_ns()) write_storage_gap(true);
  write_end();
  add_to_summary();
  // After the last minute was written, which adds it to the total.
  keep_counts();
  // From here on no new part repeats this process.
  context_.recording.remove(this);
  context_.writer.forget(context_.number);
  context_.memory.reset();
}

void ProcessTrace::write_end() {
  const uint64_t spans = spans_.count() + activities_.count() + profiles_.spans();
  context_.writer.write(context_.number, wire::ProcessEnd{.how = static_cast<uint32_t>(how_),
                                                          .why = why_,
                                                          .end_ns = end_ns_,
                                                          .spans = spans,
                                                          .recovered = recovered_,
                                                          .guest_cpu_ns = guest_cpu_ns_,
                                                          .not_stored = account_.not_stored()});
}

void ProcessTrace::add_to_summary() {
  Summary& summary = context_.recording.summary;
  if (how_ == EndHow::kDisconnected) ++summary.killed;
  summary.recovered += recovered_;
  summary.executions += activities_.executions();
  summary.unmatched_executions += activities_.unmatched();
  summary.measured_cpu_ns += overhead_.totals().cpu_ns;
  summary.overhead_ns += overhead_.totals().hooks_ns + overhead_.totals().threads_ns;
}

/// Keeps the counts of a process that has ended, by name.
void ProcessTrace::keep_counts() {
  Recording& recording = context_.recording;
  recording.not_stored += account_.not_stored();
  if (recording.parts == nullptr || account_.total().is_empty()) return;
  std::unordered_map<uint32_t, std::string> texts;
  for (const AggregateTable::Row& row : account_.total().rows()) {
    const AggregateKey key = AggregateKey::unpack(row.key);
    for (const uint32_t id : {key.name, key.type}) {
      if (id != 0) texts.emplace(id, id >= kFirstCollectorString ? profiles_.text_of(id) : std::string_view());
    }
  }
  names_.add_texts(&texts);
  recording.ended.add(account_.total(), [&](uint32_t id) -> std::string_view {
    const auto known = texts.find(id);
    return known == texts.end() ? std::string_view() : known->second;
  });
}

void ProcessTrace::write_minute(uint64_t now_ns, bool at_once) {
  account_.write_minute(now_ns, at_once);
  sampling_.write_if_due(context_.writer, context_.number, now_ns);
  overhead_.write_if_due(context_.writer, context_.number, now_ns);
}

void ProcessTrace::write_storage_gap(bool is_closing) {
  gaps_.write_of_storage(account_.first_not_stored_ns(), is_closing ? end_ns_ : 0);
}

/// Spans held in memory to fill a batch go into the part that ends. What waits for its batch or its launch keeps
/// waiting.
void ProcessTrace::end_part(uint64_t now_ns) {
  rings_.flush();
  activities_.flush();
  profiles_.flush();
  account_.write_minute(now_ns, true);
  sampling_.write(context_.writer, context_.number, now_ns, false);
  overhead_.write(context_.writer, context_.number, now_ns, false);
  context_.write_losses();
  clocks_.write();
}

void ProcessTrace::begin_part(uint64_t now_ns) {
  context_.write_hello_packet();
  // In this order: names before what refers to them; the totals, which count everything before this part, last.
  names_.write_again();
  profiles_.write_strings_again();
  devices_.write_again();
  libraries_.write_again();
  gaps_.write_again();
  write_storage_gap(false);
  context_.write_losses();
  sampling_.write(context_.writer, context_.number, now_ns, true);
  overhead_.write(context_.writer, context_.number, now_ns, true);
  account_.write_total(now_ns);
}

}  // namespace xsp
