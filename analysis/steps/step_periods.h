#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline/device_latencies.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What throughput is computed from.
enum class ThroughputOf : uint8_t {
  kLatency,  // evaluations that the program waits for: one takes as long as it takes
  kPeriod,   // steps: the host may begin the next one before the device is done with this one
};

/// "latency", "period".
const char* name_of(ThroughputOf of);

/// How often a program evaluates a model.
struct StepPeriod {
  ThroughputOf of = ThroughputOf::kLatency;
  /// Median of the differences between begins of consecutive evaluations of one process; nothing for fewer than two.
  /// Evaluations between which the same model was evaluated in another way (another input, with an optimizer step) are
  /// not consecutive. Where they overlap, that of the differences between ends, if it is half as long again: a program
  /// may queue calls faster than they are done.
  std::optional<double> ns;
  /// The one difference, where there is only one.
  std::optional<double> only_ns;
  size_t differences = 0;
  bool overlaps = false;  // at least every second one begins before the previous one has ended
};

/// Of the used evaluations of a group, run by run (TimedLevel::by_run). They are steps in training, if a profiler
/// marked them (ProfilerStep and its kin), if they are iterations that were found, or if at least every second one
/// begins before the previous one has ended.
StepPeriod find_step_period(const Trace& trace, const Evaluations& evaluations, const DeviceLatencies& latencies,
                            const EvaluationGroup& group, const std::vector<std::vector<uint32_t>>& by_run);

}  // namespace xsp::analysis
