#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/iterations/found_iterations.h"
#include "analysis/iterations/iteration_metrics.h"
#include "analysis/study/study.h"

namespace xsp::analysis {

/// The process that D1 to D4 are of: of those that --process chose the one whose device was busy longest. Nothing where
/// none has operations.
std::optional<uint32_t> iteration_process(const Study& study);

/// The loops of that process, found at the first use; null where it has no operations. D1 to D4 share it.
const FoundIterations* found_iterations(const Study& study);

/// Metrics of a loop of level 0, found at the first use: D2 and D4 share them.
const std::vector<IterationMetrics>& metrics_of_loop(const Study& study, const FoundIterations& found, uint32_t loop);

/// "no loop: no sequence of operations repeats (57 operations)", of what was found where there is none.
std::string no_loop_note(const FoundIterations& found);

/// Which process that is and how to see others; empty where the trace has one.
std::string iteration_process_note(const Study& study);

/// A note on latencies of iterations (--model-span iterations): that they are not the time from begin to begin, and how
/// long that is. Empty where evaluations are no iterations.
std::string iteration_latency_note(const Study& study);

/// Where iterations are evaluations: how long the start-up before the first one was and what most of it went into.
/// Empty where the recording begins with the iterations, or evaluations are others.
std::string start_up_note(const Study& study);

/// Of a table of D1 to D4 without rows: that the trace has no operations, and what would record them.
std::string no_operations_note(const Study& study);

}  // namespace xsp::analysis
