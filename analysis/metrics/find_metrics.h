#pragma once

#include "analysis/metrics/kernel_metrics.h"
#include "analysis/timeline/executions.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// What the input tells of its kernels; nothing where it tells nothing of any.
Metrics find_metrics(const Trace& trace, const Parents& parents, const Executions& executions);

}  // namespace xsp::analysis
