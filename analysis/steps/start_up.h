#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What a program without known steps does once: the first calls of an operator create the device's context and the
/// handles of libraries, and load kernels.
struct StartUp {
  struct Call {
    uint32_t name = 0;  // string id of the layer's own name
    int64_t ns = 0;     // together
  };

  TimeIntervals intervals;
  std::vector<Call> calls;  // the longest first

  bool is_known() const { return !intervals.empty(); }
};

/// First calls of layers outside of evaluations that take kStartUpFactor times the median of their name, and
/// kLeastStartUpNs, among the first half of the calls of that name. With fewer than kLeastStartUpCalls nobody knows how
/// long later calls take.
StartUp find_start_up(const Trace& trace, const Evaluations& evaluations, uint32_t process);

inline constexpr double kStartUpFactor = 20;
inline constexpr int64_t kLeastStartUpNs = 10'000'000;
inline constexpr size_t kLeastStartUpCalls = 3;

}  // namespace xsp::analysis
