#include "analysis/tables/layer_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/concurrency/node_join.h"
#include "analysis/concurrency/operation_graph.h"
#include "analysis/tables/corun_layers.h"

namespace xsp::analysis {
namespace {

bool has_backward_kernels(const Study& study) {
  const auto& kernels = study.kernels.kernels;
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const JoinedKernel& kernel) { return study.executions.placed[kernel.execution].backward; });
}

}  // namespace

LayerOrder layer_order(const Study& study) {
  LayerOrder order;
  const ConcurrencyOptions& options = study.options.concurrency;
  if (!options.graph) {
    order.why_not =
        "critical_ms, max_gain_pct and packed_ms need to know which layers wait for which: give the model's ONNX file "
        "with --graph FILE (an order of execution does not show that layers are independent)";
    return order;
  }
  if (study.has_single_calls()) {
    order.why_not =
        fmt::format("{} is of one call of a model, and these kernels are of a whole recording", options.graph_file);
    return order;
  }
  if (has_backward_kernels(study)) {
    order.why_not = fmt::format(
        "{} tells what waits for what in the forward pass, and the backward pass has kernels, too: critical_ms, "
        "max_gain_pct and packed_ms are not known",
        options.graph_file);
    return order;
  }
  const NodeJoin join = join_nodes(*options.graph, named_layers(study));
  if (std::find(join.is_joined.begin(), join.is_joined.end(), true) == join.is_joined.end()) {
    order.why_not = fmt::format("no layer has the name of a node of {}: is it the model that ran?", options.graph_file);
    return order;
  }
  OperationGraph graph = contract(*options.graph, join);
  order.is_known = true;
  order.group_of.assign(study.joined.layers.size(), kNoKernelGroup);
  order.after.reserve(graph.vertices.size());
  for (uint32_t i = 0; i < graph.vertices.size(); ++i) {
    OperationGraph::Vertex& vertex = graph.vertices[i];
    if (vertex.layer != kNoLayerOfNode) order.group_of[vertex.layer] = i;
    order.after.push_back(std::move(vertex.after));
  }
  return order;
}

}  // namespace xsp::analysis
