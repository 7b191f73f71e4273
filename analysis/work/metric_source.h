#pragma once

#include "analysis/timeline/executions.h"
#include "analysis/timeline/kernel_metrics.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"
#include "analysis/work/counter_metrics.h"

namespace xsp::analysis {

/// The metrics of all executions from one source: counters where any met an execution, else arguments. Beside counters
/// stand the algorithmic flops, and what arguments and names tell of the algorithm. `join` says how counters met.
Metrics make_metrics(const Trace& trace, const Parents& parents, const Executions& executions, CounterJoin* join);

}  // namespace xsp::analysis
