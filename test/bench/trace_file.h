#pragma once

/// A trace of one process, of any length, written as it is generated: for traces too large for a message in memory,
/// such as test/analysis/support/trace_builder.h builds.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "proto/activity_columns.h"
#include "proto/span_columns.h"
#include "proto/trace_numbers.h"

namespace xsp::bench {

/// Exits the program if the file cannot be written.
class TraceFile {
 public:
  /// Begins with the header, the process, and its strings, whose ids count from 1.
  TraceFile(const std::string& path, const std::vector<std::string>& strings)
      : file_(std::fopen(path.c_str(), "wb")), buffer_(1 << 20) {
    if (file_ == nullptr) std::exit(1);
    packet(0, wire::Body::kHeader, [](WireWriter& w) { w.uint64(1, 1); });
    packet(1, wire::Body::kHello, [](WireWriter& w) { w.uint64(2, 4242); });
    packet(1, wire::Body::kStrings, [&](WireWriter& w) {
      w.uint64(1, 1);
      for (const std::string& text : strings) w.element(2, text.data(), text.size());
    });
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() { std::fclose(file_); }

  /// Writes the spans of a thread, if any, and clears them.
  void write(uint32_t thread, uint32_t ring, std::vector<SpanRow>* rows) {
    if (rows->empty()) return;
    const BatchHead head{.thread = thread, .ring = ring, .record_count = static_cast<uint32_t>(rows->size())};
    packet(1, wire::Body::kSpans, [&](WireWriter& w) {
      write_span_columns(w, head, rows->size(), [&](size_t i) -> const SpanRow& { return (*rows)[i]; });
    });
    rows->clear();
  }

  /// Likewise for executions, whose queues are those of `queues`.
  void write(const std::vector<ActivityQueue>& queues, std::vector<ActivityRow>* rows) {
    if (rows->empty()) return;
    const BatchHead head{.ring = kActivityRing, .record_count = static_cast<uint32_t>(rows->size())};
    packet(1, wire::Body::kActivities, [&](WireWriter& w) {
      write_activity_columns(
          w, head, queues.size(), [&](size_t i) -> const ActivityQueue& { return queues[i]; }, rows->size(),
          [&](size_t i) -> const ActivityRow& { return (*rows)[i]; });
    });
    rows->clear();
  }

  /// The last packet: the trace is complete.
  void finish() {
    packet(0, wire::Body::kTraceEnd, [](WireWriter& w) { w.boolean(4, true); });
  }

 private:
  static constexpr uint32_t kActivityRing = 50;

  template <typename Write>
  void packet(uint32_t process, wire::Body body, Write&& write) {
    WireWriter writer(buffer_.data(), buffer_.size());
    const auto whole = writer.begin(1);
    writer.uint64(1, process);
    const auto inner = writer.begin(static_cast<uint32_t>(body));
    std::forward<Write>(write)(writer);
    writer.end(inner);
    writer.end(whole);
    if (writer.failed() || std::fwrite(writer.data(), 1, writer.size(), file_) != writer.size()) std::exit(1);
  }

  std::FILE* file_;
  std::vector<char> buffer_;
};

}  // namespace xsp::bench
