#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/kineto/backward_links.h"
#include "import/kineto/call_order.h"
#include "import/kineto/device_executions.h"
#include "import/kineto/external_ids.h"
#include "import/kineto/host_threads.h"
#include "import/kineto/memory_events.h"
#include "import/kineto/operator_indices.h"
#include "import/kineto/profiler_event.h"
#include "import/kineto/profiler_ranges.h"

namespace xsp::kineto {

/// Puts the profiler's events, in any order, into a timeline.
class EventTimeline {
 public:
  explicit EventTimeline(ProfileTimeline* timeline);

  void add(const ProfilerEvent& event);
  /// All events were added.
  void finish();

  /// Whether the events contained any part of a profile.
  bool has_any() const { return spans_ > 0 || executions_.size() > 0; }
  /// The processes of the host; one without spans for executions alone.
  const std::vector<std::unique_ptr<HostProcess>>& processes() const { return threads_.processes(); }
  /// Begin of the event that came first in the input.
  int64_t first_ns() const { return first_ns_; }

 private:
  void add_complete(const ProfilerEvent& event);
  void add_host_span(const ProfilerEvent& event, Category category);
  void add_begin(const ProfilerEvent& event);
  void add_end(const ProfilerEvent& event);
  void add_instant(const ProfilerEvent& event);
  void add_flow(const ProfilerEvent& event);
  void add_description(const ProfilerEvent& event);
  void find_home();
  bool has_times(const ProfilerEvent& event);
  void describe(const ProfilerEvent& event, Category category, uint32_t thread, ImportedSpan* span);
  uint32_t thread_of(const ProfilerEvent& event, Category category);

  ProfileTimeline* timeline_;
  HostThreads threads_;
  DeviceExecutions executions_;
  BackwardLinks links_;
  CallOrder calls_;
  ExternalIds external_ids_;
  MemoryEvents memory_;
  OperatorIndices indices_;
  ProfilerRanges ranges_;
  std::vector<std::pair<Number, std::string>> process_names_;  // by pid
  uint64_t spans_ = 0;
  uint64_t unknown_spans_ = 0;  // of categories unknown to the profiler
  int64_t first_ns_ = 0;
  bool has_first_ = false;
  bool whole_microseconds_ = true;

  // Events with nothing to import.
  uint64_t other_phases_ = 0;

  /// For torch.autograd.profiler: the flow that leads to the next kernel.
  Number launch_;
};

}  // namespace xsp::kineto
