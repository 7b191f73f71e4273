#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "collector/writing/trace_writer.h"
#include "import/frame/profile_timeline.h"
#include "import/writing/timeline_writer.h"

namespace xsp {

/// The times of a segment: those of its timeline, moved so that the first one is kFirstNs.
class SegmentTimes {
 public:
  static constexpr uint64_t kFirstNs = 1'000'000;
  /// Begin and end of a span or execution whose times cannot be used.
  static constexpr int64_t kNowhere = std::numeric_limits<int64_t>::min();

  /// Checks the times of all spans and executions: those that cannot be used become kNowhere, and what ends before it
  /// begins gets no duration.
  explicit SegmentTimes(ProfileTimeline* timeline);

  /// Converts a time that is not kNowhere.
  uint64_t to_ns(int64_t time) const { return static_cast<uint64_t>(time - origin_) + kFirstNs; }
  /// The timeline's first time.
  int64_t origin() const { return origin_; }

  /// Notes that something written ends at this time.
  void reach(uint64_t end_ns) { end_ns_ = std::max(end_ns_, end_ns); }
  /// The end of all that was written.
  uint64_t end_ns() const { return end_ns_; }

  /// How many spans and executions had no usable time, and how many no duration.
  uint64_t without_time() const { return without_time_; }
  uint64_t inverted() const { return inverted_; }

 private:
  bool check(int64_t* begin, int64_t* end);

  int64_t origin_ = 0;
  uint64_t end_ns_ = kFirstNs;
  uint64_t without_time_ = 0;
  uint64_t inverted_ = 0;
};

/// What the parts that write a segment share: where it goes, its times, and counters. Used by one thread; the writer is
/// not owned.
struct Segment {
  TraceWriter& writer;
  std::string_view format;
  SegmentTimes times;
  uint32_t processes = 0;  // written so far, also the number of the last one
  ImportTotals totals;
  uint64_t ambiguous = 0;                // executions whose correlation id several calls share
  uint64_t children_before_parents = 0;  // spans whose told parent begins after them
};

}  // namespace xsp
