#pragma once

#include <cstdint>

#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// When a process did what is not recorded: model calls that were not sampled, and gaps.
class UnrecordedTimes {
 public:
  UnrecordedTimes(const Trace& trace, uint32_t process);

  /// Whether any of them lies, in part, between two times.
  bool is_between(int64_t from, int64_t to) const;

 private:
  TimeIntervals times_;
};

}  // namespace xsp::analysis
