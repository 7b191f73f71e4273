#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "import/frame/profile_input.h"
#include "import/frame/profile_timeline.h"
#include "import/frame/string_pool.h"
#include "import/tracing/span_tags.h"

namespace xsp {

/// How surely a trace of this kind is recognised.
inline constexpr int kSure = 90;

/// The spans of a distributed trace, from which the timeline is made once all are there: services whose spans are
/// parents of each other become one process, in which the spans nest as told. If a span got its parent only because its
/// tracer knew no better, it is moved into the sibling of an outer level that contains it in time.
class TracedSpans {
 public:
  struct Span {
    std::string_view trace;
    std::string_view id;
    std::string_view parent;  // "": none
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    uint32_t service = 0;  // add_service
  };

  /// `resolution_ns`: that of the times.
  explicit TracedSpans(int64_t resolution_ns) : resolution_ns_(resolution_ns) {}

  uint32_t add_service();
  void set_service(uint32_t service, std::string_view name, ProcessTags tags);
  void add(const Span& span, const SpanTags& tags);

  /// A span that is not added: malformed JSON, or without an id or a time.
  void leave_out_damaged() { ++damaged_; }
  void leave_out_incomplete() { ++incomplete_; }

  /// Fills the timeline with what was read of the input, and empties this object. `early_end` says where and why
  /// reading stopped early; empty if all was read. An error means that there is no span.
  Status finish(std::string early_end, const ProfileInput& input, ProfileTimeline* timeline);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    ImportedSpan span;  // texts are of texts_
    uint32_t id;        // texts of the trace's id and the span's, in ids_
    uint32_t parent;
    uint32_t trace;
    uint32_t service;
    uint32_t configuration;
    uint32_t metrics;  // their first in metrics_
    uint32_t metric_count;
    ActivityQueue queue;
    bool is_execution;
    bool has_bytes;
    bool is_repeated_call;
    uint32_t device_name;
    uint32_t told = kNone;  // the parent's number
    uint32_t process = 0;   // index in services' groups
    ImportedSpanId placed;
  };
  struct Service {
    std::string name;
    ProcessTags tags;
    uint32_t group;
  };

  void place(ProfileTimeline* timeline);
  uint32_t find_group(uint32_t service);
  void find_parents(ProfileTimeline* timeline);
  void refine_parents(ProfileTimeline* timeline);
  void place_hosts(ProfileTimeline* timeline);
  void place_executions(ProfileTimeline* timeline);
  ImportedProcess& process_of(const Entry& entry, ProfileTimeline* timeline);

  int64_t resolution_ns_;
  StringPool texts_;
  StringPool ids_;
  std::vector<Entry> entries_;
  std::vector<std::pair<uint32_t, double>> metrics_;
  std::vector<Service> services_;
  uint64_t damaged_ = 0;
  uint64_t incomplete_ = 0;
};

}  // namespace xsp
