#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/metrics/kernel_metrics.h"
#include "analysis/statistics/statistic.h"
#include "analysis/timeline/executions.h"

namespace xsp::analysis {

/// Which executions are joined: kernels, or copies and memsets.
enum class Executed { kKernels, kCopies };

bool is_executed(const Trace& trace, uint32_t execution, Executed what);

/// What was executed for an evaluation in the order in which evaluations are joined: by (layer ordinal, order of launch
/// in the layer, node of a graph). What runs at the same time comes in another order each time: launches of several
/// threads, and the nodes of a graph. Neither the layer nor the order of nodes changes.
std::vector<uint32_t> joined_order(const Trace& trace, const Executions& executions, Executed what,
                                   uint32_t evaluation);

/// The executions at one place of all joined evaluations, or one execution.
struct JoinedKernel {
  uint32_t execution = kNoExecution;  // the first one
  double latency_ns = 0;
  double spread_ns = std::numeric_limits<double>::quiet_NaN();  // NaN when unknown
  double bytes = 0;                                             // mean, of copies and memsets
  bool configuration_varies = false;
  /// The statistic of each value over the evaluations in which it is known. What arguments tell is the same in all; a
  /// kernel that has its operator's work in one and not in another has that of the first, so that sums stay exact.
  KernelMetrics metrics;
};

/// The kernels, or the copies and memsets, under study.
struct JoinedKernels {
  std::vector<JoinedKernel> kernels;  // in order of their launches
  std::vector<uint32_t> evaluations;  // joined; empty: the kernels stand for themselves
  size_t diverging = 0;               // evaluations left out because their sequence of (layer, name) is another
  size_t first_difference = 0;        // ordinal, of the first evaluation that diverges
  size_t without_kernels = 0;         // evaluations left out because nothing was executed for them

  double latency_ns = 0;  // sum over `kernels`
  double busy_ns = 0;     // length of the union of their intervals in an evaluation, or of all
  size_t launches = 0;    // calls that started them, in the first joined evaluation, or of all

  double flops = 0;       // sums over `kernels` of what is known
  double dram_bytes = 0;  // read and written
};

/// Joins what was executed for `evaluations`, place by place of their joined_order. When
/// the sequences of (layer ordinal, name) differ, only those of the most frequent sequence are joined.
JoinedKernels join_kernels(const Trace& trace, const Executions& executions, Executed what,
                           const std::vector<uint32_t>& evaluations, const Statistic& statistic,
                           const Metrics& metrics = {});

/// Each of `wanted`, indices in Trace::executions, for itself, in order of begin.
JoinedKernels single_kernels(const Trace& trace, const Executions& executions, std::vector<uint32_t> wanted,
                             const Metrics& metrics = {});

}  // namespace xsp::analysis
