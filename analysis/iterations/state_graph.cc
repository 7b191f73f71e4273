#include "analysis/iterations/state_graph.h"

#include <algorithm>

namespace xsp::analysis {

std::string_view state_name(IterationState state) {
  switch (state) {
    case IterationState::kCpu:
      return "CPU";
    case IterationState::kCopy:
      return "copy";
    case IterationState::kGpu:
      break;
  }
  return "GPU";
}

StateGraph state_graph(const std::vector<IterationMetrics>& metrics) {
  constexpr double kNsPerMs = 1e6;
  StateGraph graph;
  double interval = 0;
  double copy = 0;
  double iteration = 0;
  double copies = 0;
  double operations = 0;
  for (const IterationMetrics& of : metrics) {
    if (!of.has_interval) continue;
    ++graph.iterations;
    interval += static_cast<double>(of.interval);
    copy += static_cast<double>(of.copy_in_interval);
    iteration += static_cast<double>(of.duration());
    copies += of.copies_in_interval;
    operations += of.gaps + 1;
  }
  if (graph.iterations == 0) return graph;
  const double n = graph.iterations;
  const double period = interval + iteration;
  const auto node = [&](IterationState state, double ns, double count) {
    graph.nodes.push_back({state, ns / n / kNsPerMs, period > 0 ? ns / period : 0, count / n});
  };
  node(IterationState::kCpu, interval - copy, operations + copies);
  node(IterationState::kCopy, copy, copies);
  node(IterationState::kGpu, iteration, operations);
  graph.period_ms = period / n / kNsPerMs;
  return graph;
}

}  // namespace xsp::analysis
