#pragma once

#include <cstdint>
#include <vector>

#include "analysis/steps/step_periods.h"
#include "analysis/timeline/device_latencies.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/intervals.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The time of the used evaluations of one process, united: where the host runs ahead, the window of a step (begin on
/// the host to end of its last kernel) holds kernels of the steps before, and windows overlap.
struct StepWindows {
  uint32_t process = 0;
  TimeIntervals windows;
  std::vector<uint32_t> evaluations;
  std::vector<TimeInterval> on_host;  // of each evaluation: its call, and of steps what follows up to the next one
};

/// Windows of consecutive evaluations of one run. With `of` kPeriod they also include the time up to the next step, as
/// the period does, unless another evaluation of the process begins there.
StepWindows find_step_windows(const Trace& trace, const Evaluations& evaluations, const DeviceLatencies& latencies,
                              const std::vector<uint32_t>& run, ThroughputOf of);

}  // namespace xsp::analysis
