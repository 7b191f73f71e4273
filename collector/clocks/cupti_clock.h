#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collector/clocks/clock_map.h"

namespace xsp {

/// Converts the times of CUPTI's records to nanoseconds of CLOCK_MONOTONIC.
///
/// CUPTI's clock is normally CLOCK_REALTIME in nanoseconds, which NTP may step; before CUDA is up, and when a profiler
/// in the program registers its own clock, it is another one, such as TSC ticks. A reading far from where the earlier
/// ones lead begins a segment with its own map. A segment reaches from the last reading before it to the first one
/// after it, and a time is converted by the segment whose reach contains the result. Where two fit (just around a small
/// step, and in the time that a step back repeats), the later one is used, which is off by the step at most. Within a
/// segment all times keep their order, as in ClockMap.
class CuptiClock {
 public:
  /// `earliest_ns`: the process recorded nothing before.
  explicit CuptiClock(uint64_t earliest_ns) : earliest_ns_(earliest_ns) {}

  /// Takes a reading; one from before the last is ignored. `nominal_ticks_per_ns` is used for a segment that begins
  /// here; 0: unknown. `error_ns`: how far off the reading may be.
  void add_reading(uint64_t ticks, uint64_t ns, double nominal_ticks_per_ns, uint64_t error_ns = 0);

  /// Begin and end of one activity, converted by the same segment. Without any reading, the times as given.
  std::pair<uint64_t, uint64_t> to_ns(uint64_t begin, uint64_t end) const;

  bool has_reading() const { return !segments_.empty(); }
  /// When the clock was first read.
  uint64_t first_reading_ns() const { return first_reading_ns_; }
  /// Largest |predicted - read| of all readings within segments.
  uint64_t error_ns() const;
  /// The map of the last segment.
  const ClockMap& map() const { return segments_.back().map; }
  size_t segments() const { return segments_.size(); }

 private:
  struct Segment {
    ClockMap map;
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t last_ticks;
  };

  bool continues(const Segment& segment, uint64_t ticks, uint64_t ns) const;
  static bool counts_nanoseconds(const Segment& segment, uint64_t ticks, uint64_t ns);
  const Segment& segment_of(uint64_t ticks) const;

  uint64_t earliest_ns_;
  uint64_t first_reading_ns_ = 0;
  std::vector<Segment> segments_;
  uint64_t forgotten_error_ns_ = 0;
};

}  // namespace xsp
