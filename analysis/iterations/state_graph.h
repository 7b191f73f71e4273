#pragma once

#include <string_view>
#include <vector>

#include "analysis/iterations/iteration_metrics.h"

namespace xsp::analysis {

/// The states of the paper's figure 5. Between two iterations the device waits for the CPU and for copies; then it
/// computes.
enum class IterationState : uint8_t { kCpu, kCopy, kGpu };

std::string_view state_name(IterationState state);  // "CPU", "copy", "GPU"

struct StateNode {
  IterationState state;
  double mean_ms = 0;  // per iteration
  double share = 0;    // of the mean period, 0 to 1
  double count = 0;    // operations per iteration that it starts (CPU), copies (copy), executes (GPU)
};

/// Means over the iterations that have an interval. CPU: the interval without copies. copy: copies within the interval.
/// GPU: the iteration.
struct StateGraph {
  std::vector<StateNode> nodes;  // CPU, copy, GPU
  double period_ms = 0;
  uint32_t iterations = 0;
};

StateGraph state_graph(const std::vector<IterationMetrics>& metrics);

}  // namespace xsp::analysis
