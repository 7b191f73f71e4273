/// The part of ProcessTrace that makes each part of a recording readable alone, and that tells what is not stored.

#include <algorithm>

#include "collector/clocks/tsc_rate.h"
#include "collector/process/process_trace.h"
#include "collector/writing/string_packets.h"

namespace xsp {

void ProcessTrace::write_hello_packet() {
  writer_.write(number_, Body::kHello, hello_capacity(hello_), [&](WireWriter& body) { write_hello(body, hello_); });
}

void ProcessTrace::write_minute(uint64_t now_ns, bool at_once) {
  account_.write_minute(now_ns, at_once);
  for (GuestTotals* totals : {&sampling_, &overhead_}) totals->write_if_due(writer_, number_, now_ns);
}

/// What is held in memory until there is more of it goes into the part that ends. What waits for its batch or its
/// launch goes on waiting.
void ProcessTrace::end_part(uint64_t now_ns) {
  for (auto& stream : rings_) {
    if (stream != nullptr) stream->flush(writer_);
  }
  api_calls_.flush(writer_);
  executions_.flush();
  profiles_.flush();
  account_.write_minute(now_ns, true);
  for (GuestTotals* totals : {&sampling_, &overhead_}) totals->write(writer_, number_, now_ns, false);
  write_losses();
  write_clocks();
}

void ProcessTrace::begin_part(uint64_t now_ns) {
  gaps_ = 0;
  write_hello_packet();
  write_strings_again();
  profiles_.write_strings_again();
  for (const auto& device : devices_) {
    writer_.write(number_, Body::kDevice, device_capacity(device),
                  [&](WireWriter& body) { write_device(body, device); });
  }
  for (const auto& library : unintercepted_) {
    writer_.write(number_, Body::kUnintercepted, unintercepted_capacity(library),
                  [&](WireWriter& body) { write_unintercepted(body, library); });
  }
  for (const auto& used : used_libraries_) {
    writer_.write(number_, Body::kUsedLibrary, library_use_capacity(used),
                  [&](WireWriter& body) { write_library_use(body, used); });
  }
  for (const auto& gap : open_gaps_) {
    writer_.write(number_, Body::kGap, gap_capacity(gap), [&](WireWriter& body) { write_gap(body, gap); });
  }
  write_storage_gap(false);
  write_losses();
  for (GuestTotals* totals : {&sampling_, &overhead_}) totals->write(writer_, number_, now_ns, true);
  account_.write_total(now_ns);
}

/// They are read from the process's own memory: none is kept here.
void ProcessTrace::write_strings_again() {
  if (memory_ == nullptr || strings_ == 0) return;
  StringPackets packets(writer_, number_, 1);
  memory_->for_each_string(0, [&](uint32_t id, std::string_view text) {
    packets.add(text);
    return id < strings_;
  });
  packets.flush();
}

void ProcessTrace::write_storage_gap(bool is_closing) {
  const StorageBudget& budget = recording_.budget;
  const auto off_since = budget.off_since_ns();
  RecordingGap gap{.reason = static_cast<uint32_t>(wire::GapReason::kNotStored), .level = kLevelApplication};
  if (off_since) {
    gap.begin_ns = std::max(*off_since, hello_.start_ns);
    if (budget.is_full()) gap.begin_ns = std::min(gap.begin_ns, account_.first_not_stored_ns());
    if (is_closing) gap.end_ns = std::max(end_ns_, gap.begin_ns);
    storage_gap_begin_ns_ = gap.begin_ns;
  } else if (storage_gap_begin_ns_ != 0) {
    gap.begin_ns = storage_gap_begin_ns_;
    gap.end_ns = std::max(budget.on_since_ns(), gap.begin_ns);
    storage_gap_begin_ns_ = 0;
  } else {
    return;
  }
  writer_.write(number_, Body::kGap, gap_capacity(gap), [&](WireWriter& body) { write_gap(body, gap); });
}

/// The counts of a process that has ended stay, by name.
void ProcessTrace::keep_counts() {
  recording_.not_stored += account_.not_stored();
  if (recording_.parts == nullptr || account_.total().is_empty()) return;
  std::unordered_map<uint32_t, std::string> texts;
  for (const AggregateTable::Row& row : account_.total().rows()) {
    const AggregateKey key = AggregateKey::unpack(row.key);
    for (const uint32_t id : {key.name, key.type}) {
      if (id != 0) texts.emplace(id, id >= kFirstCollectorString ? profiles_.text_of(id) : std::string_view());
    }
  }
  if (memory_ != nullptr) {
    memory_->for_each_string(0, [&](uint32_t id, std::string_view text) {
      const auto used = texts.find(id);
      if (used != texts.end()) used->second = text;
      return id < strings_;
    });
  }
  recording_.ended.add(account_.total(), [&](uint32_t id) -> std::string_view {
    const auto known = texts.find(id);
    return known == texts.end() ? std::string_view() : known->second;
  });
}

}  // namespace xsp
