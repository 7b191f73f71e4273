/// Entry for the dependencies of an ONNX model: nodes follow those that they wait for, and layers that are named after
/// them can be put in order, too.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/concurrency/node_graph.h"
#include "analysis/concurrency/node_join.h"
#include "analysis/concurrency/operation_graph.h"

namespace {

using namespace xsp::analysis;

constexpr size_t kMostNodesToContract = 2000;

template <typename Indices>
void check_order(const Indices& after, size_t own) {
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] >= own || (i > 0 && after[i - 1] >= after[i])) std::abort();
  }
}

/// A layer of every other node, as a runtime's own node or as a module.
void contract_layers(const NodeGraph& graph, bool are_nodes) {
  std::vector<std::string> names;
  for (size_t i = 0; i < graph.nodes.size(); i += 2) {
    const GraphNode& node = graph.nodes[i];
    names.push_back(i % 4 == 0 || node.outputs.empty() ? node.name : node.outputs.front() + "_nchwc");
  }
  std::vector<NamedLayer> layers;
  for (const std::string& name : names) layers.push_back({name, "Conv", are_nodes, !are_nodes});
  const NodeJoin join = join_nodes(graph, layers);
  const OperationGraph contracted = contract(graph, join);
  std::vector<bool> is_seen(layers.size());
  for (size_t i = 0; i < contracted.vertices.size(); ++i) {
    const OperationGraph::Vertex& vertex = contracted.vertices[i];
    check_order(vertex.after, i);
    if (vertex.layer == kNoLayerOfNode) continue;
    if (vertex.layer >= layers.size() || is_seen[vertex.layer]) std::abort();
    is_seen[vertex.layer] = true;
  }
  if (is_seen != join.is_joined) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  NodeGraph graph;
  const xsp::Status status = parse_node_graph(std::string_view(reinterpret_cast<const char*>(data), size), &graph);
  if (!status.ok()) {
    if (status.hint.empty() || !graph.nodes.empty()) std::abort();
    return 0;
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) check_order(graph.nodes[i].after, i);
  if (graph.nodes.size() > kMostNodesToContract) return 0;
  contract_layers(graph, true);
  contract_layers(graph, false);
  return 0;
}
