#pragma once

#include <cstdint>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/executions.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Backward work by the layer whose gradient it computes, wherever it ran.
struct BackwardWork {
  /// By index in Evaluations::layers, behind them loose_layers and failed_layers: of its kernels where the trace has
  /// any of backward work (length of their union), else of its spans on the host. Empty: no backward work is linked.
  std::vector<int64_t> ns;
  uint64_t spans = 0;          // outermost ones
  uint64_t without_layer = 0;  // of these: that lead to no layer
};

BackwardWork find_backward_work(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                const Executions& executions);

}  // namespace xsp::analysis
