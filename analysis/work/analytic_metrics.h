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
/// Kernels that an operator started together share its work: it is assigned to the principal kernel (a matrix product
/// or convolution by its name, else the longest), which is marked kShared; the others are kAuxiliary and have no
/// metrics of their own. Work is never divided among kernels, so sums over an operator, a layer or a model are exact.
std::vector<KernelMetrics> analytic_metrics(const Trace& trace, const Parents& parents, const Executions& executions);

}  // namespace xsp::analysis
