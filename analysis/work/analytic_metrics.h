#pragma once

#include <vector>

#include "analysis/timeline/executions.h"
#include "analysis/timeline/kernel_metrics.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Algorithmic flops and compulsory bytes of kernels from the arguments of what launched them: the innermost library
/// call with a formula around the launch (of a graph's node: around its capture), else the innermost operator with one.
///
/// What an operator started together shares its work: that is given to its principal kernel (a matrix product or
/// convolution by its name, else the longest), which is marked kShared; the others are kAuxiliary and have no metrics
/// of their own. Kernels are not divided among: sums over an operator, a layer or a model are exact.
std::vector<KernelMetrics> analytic_metrics(const Trace& trace, const Parents& parents, const Executions& executions);

}  // namespace xsp::analysis
