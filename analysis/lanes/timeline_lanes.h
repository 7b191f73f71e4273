#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/study/analysed_trace.h"

namespace xsp::analysis {

/// What the spans of a lane are, in the order in which the lanes of a thread stand.
enum class LaneKind : uint8_t {
  kApplication,  // ranges, annotations and spans of the program's own
  kPython,       // Python functions of an imported profile
  kModel,
  kModule,  // modules and layers that contain layers
  kLayer,
  kOperator,  // operators that are no layers, and ranges inside a layer
  kLibrary,
  kRuntime,
  kStream,      // kernels, copies and memsets
  kStreamOther  // what else a device's profiler records: synchronization, memory, overhead
};
inline constexpr size_t kLaneKinds = 10;
inline constexpr const char* kLaneKindNames[kLaneKinds] = {"application", "python",  "model",   "module", "layer",
                                                           "operator",    "library", "runtime", "stream", "other"};

/// Sums of times that a damaged trace cannot make overflow.
inline int64_t sum_of_times(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// The spans of one kind on a thread or a stream.
struct Lane {
  uint32_t process = 0;
  LaneKind kind = LaneKind::kApplication;
  uint32_t thread = 0;  // as the process sees it; 0 of a stream
  uint32_t device = 0;  // of a stream
  uint32_t stream = 0;
  uint64_t spans = 0;
  int64_t ns = 0;  // sum of their durations
};

/// The lanes of a trace: only those with spans, by process; the threads of one in order of their first span, behind
/// them its streams by number.
class TimelineLanes {
 public:
  explicit TimelineLanes(const AnalysedTrace& analysed);

  const std::vector<Lane>& lanes() const { return lanes_; }

  /// Calls `use(row, lane)` for every span, in order of rows.
  template <typename Use>
  void for_each_span(Use&& use) const {
    size_t execution = 0;
    for (Row row = 0; row < trace_.spans.size(); ++row) use(row, lane_of_[place_of(row, &execution)]);
  }

 private:
  /// A thread or a stream, and a kind: index of `lane_of_`. `execution` goes along with the rows.
  size_t place_of(Row row, size_t* execution) const;
  LaneKind kind_of(Row row) const;
  void number_threads();
  void number_streams();
  void order_lanes();

  const Trace& trace_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  std::vector<uint32_t> thread_of_track_;
  std::vector<uint32_t> stream_of_queue_;  // behind the threads
  std::vector<Lane> places_;               // by thread or stream: one without a kind
  std::vector<uint32_t> lane_of_;          // by place and kind
  std::vector<Lane> lanes_;
};

}  // namespace xsp::analysis
