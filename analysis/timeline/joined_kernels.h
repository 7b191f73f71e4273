#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/executions.h"
#include "analysis/timeline/kernel_metrics.h"

namespace xsp::analysis {

/// Which executions are joined: kernels, or copies and memsets.
enum class Executed { kKernels, kCopies };

bool is_executed(const Trace& trace, uint32_t execution, Executed what);

/// The layer of an execution as a place that is the same in all joined evaluations (LayerPlaces); its ordinal in the
/// evaluation without it.
using LayerOfKernel = std::function<uint32_t(const PlacedExecution&)>;

/// What was executed for an evaluation in the order in which evaluations are joined: by (layer, order of launch
/// in the layer, node of a graph). What runs at the same time comes in another order each time: launches of several
/// threads, and the nodes of a graph. Neither the layer nor the order of nodes changes.
std::vector<uint32_t> joined_order(const Trace& trace, const Executions& executions, Executed what, uint32_t evaluation,
                                   const LayerOfKernel& layer_of = {});

/// The executions at one place of all joined evaluations, or one execution.
struct JoinedKernel {
  uint32_t execution = kNoExecution;  // the first one
  uint32_t n = 1;                     // evaluations that have it: the statistics are over these
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
  std::vector<uint32_t> same;         // of these, those whose sequence of (layer, name) is the most frequent one
  size_t diverging = 0;               // evaluations left out because they have less than half in common with these
  size_t first_difference = 0;        // ordinal, of the first evaluation that is left out or, if none is, that differs
  size_t left_out = 0;                // executions that fewer than half of the joined evaluations have
  double left_out_ns = 0;             // of an evaluation on average, these
  size_t without_kernels = 0;         // evaluations left out because nothing was executed for them

  double latency_ns = 0;  // sum over `kernels`
  double busy_ns = 0;     // latency_ns without what runs at the same time: of joined ones their share of it
  size_t launches = 0;    // calls that started them, in an evaluation of the most frequent sequence, or of all

  double flops = 0;       // sums over `kernels` of what is known
  double dram_bytes = 0;  // read and written

  /// By joined evaluation and place in its joined_order: the index in `kernels`; kNoPlace: it is left out.
  const std::vector<uint32_t>& rows_of(size_t joined) const { return rows[sequence_of[joined]]; }
  std::vector<uint32_t> sequence_of;
  std::vector<std::vector<uint32_t>> rows;  // by different sequence
};

/// Joins what was executed for `evaluations`, place by place of their joined_order. Where the sequences of (layer,
/// name) differ they are aligned (merge_sequences); what fewer than half of the evaluations have is left out.
JoinedKernels join_kernels(const Trace& trace, const Executions& executions, Executed what,
                           const std::vector<uint32_t>& evaluations, const Statistic& statistic,
                           const Metrics& metrics = {}, const LayerOfKernel& layer_of = {});

/// Each of `wanted`, indices in Trace::executions, for itself, in order of begin.
JoinedKernels single_kernels(const Trace& trace, const Executions& executions, std::vector<uint32_t> wanted,
                             const Metrics& metrics = {});

}  // namespace xsp::analysis
