#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/iterations/found_iterations.h"
#include "analysis/iterations/iteration_metrics.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// One check and what it came to. Rows of D4, found or not, in the order below; of two that the same times explain only
/// the more special one is found, and the other one's evidence says so. doc/iterations.md has thresholds and reasons.
struct Diagnosis {
  /// "warm_up", "graph_growth" (intervals that grow), "drift" (iterations that grow), "input_stall" (long intervals, at
  /// least three), "periodic_work" (every k-th iteration does more), "outliers" (other long iterations, or single long
  /// intervals), "copy_bound", "host_bound" (long intervals without copies), "launch_bound" (gaps inside iterations).
  std::string_view id;
  bool found = false;
  double value = 0;                  // what was compared
  double threshold = 0;              // with this
  std::string_view unit;             // of both
  bool has_value = false;            // false: not checked, `evidence` says why; `found` says nothing then
  std::string evidence;              // a clause for people with its numbers: slope, significance, what differs
  std::string advice;                // what to do; of what was found
  std::vector<uint32_t> iterations;  // that it is about; empty: all
};

/// All checks of a loop of level 0; of one that says nothing about the steps (FoundIterations::why_not_steps) none is
/// made, and all say why. Linear in its operations, n log² n in its iterations.
std::vector<Diagnosis> diagnose(const Trace& trace, const FoundIterations& found, uint32_t loop,
                                const std::vector<IterationMetrics>& metrics);

}  // namespace xsp::analysis
