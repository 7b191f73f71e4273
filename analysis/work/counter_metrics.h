#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/executions.h"
#include "analysis/timeline/kernel_metrics.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// How well counters met the kernels they are for.
struct CounterJoin {
  uint64_t counted = 0;             // kernels that the counters are of
  uint64_t joined = 0;              // executions that have some
  uint64_t diverging = 0;           // counted kernels whose name is not that of the execution with their ordinal
  uint64_t first_difference = 0;    // ordinal of the first one
  std::vector<std::string> unused;  // metrics that no formula reads
};

/// Executed flops, DRAM bytes and achieved occupancy of executions, derived from the counters of the trace
/// (doc/metrics.md has the formulas). A kernel of a counted run is the one with the same ordinal on its device in every
/// uncounted run of the same program (command and rank; in a set, of the same point), if both have the same name; where
/// sequences diverge, only what the names still identify is joined from there on.
std::vector<KernelMetrics> counter_metrics(const Trace& trace, CounterJoin* join);

}  // namespace xsp::analysis
