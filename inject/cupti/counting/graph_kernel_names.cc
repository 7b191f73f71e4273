#include "inject/cupti/counting/graph_kernel_names.h"

namespace xsp::guest {
namespace {

/// CUgraphNodeType.
constexpr int kKernelNode = 0;

}  // namespace

GraphKernelNames::Node* GraphKernelNames::find(const void* node) {
  for (size_t i = count_; i > 0; --i) {
    if (nodes_[i - 1].node == node && node != nullptr) return &nodes_[i - 1];
  }
  return nullptr;
}

void GraphKernelNames::node_created(const cupti::GraphData& graph, uint32_t name, bool may_wait) {
  if (graph.node_type != kKernelNode || graph.node == nullptr) return;
  if (Node* before = find(graph.node)) before->node = nullptr;
  if (count_ < kMostNodes) nodes_[count_++] = {graph.node, graph.graph, graph.graph_exec, name, may_wait};
}

void GraphKernelNames::node_cloned(const cupti::GraphData& graph) {
  if (graph.node_type != kKernelNode || graph.node == nullptr) return;
  const Node* original = find(graph.original_node);
  const uint32_t name = original == nullptr ? 0 : original->name;
  const bool may_wait = original != nullptr && original->may_wait;
  // CUPTI reports the executable graph's nodes twice: as created, and then as cloned from these.
  Node* node = find(graph.node);
  if (node == nullptr) {
    node_created(graph, name, may_wait);
    return;
  }
  node->name = name;
  node->may_wait = may_wait;
  node->graph = graph.graph;
  node->graph_exec = graph.graph_exec;
}

size_t GraphKernelNames::names_of(const void* graph_exec, uint32_t* names, size_t most) const {
  size_t found = 0;
  for (size_t i = 0; i < count_; ++i) {
    const Node& node = nodes_[i];
    if (!node.is_of(graph_exec)) continue;
    if (found < most) names[found] = node.name;
    ++found;
  }
  return found;
}

bool GraphKernelNames::may_wait(const void* graph_exec, bool unknown) const {
  size_t found = 0;
  for (size_t i = 0; i < count_; ++i) {
    const Node& node = nodes_[i];
    if (!node.is_of(graph_exec)) continue;
    if (node.may_wait || (unknown && node.name == 0)) return true;
    ++found;
  }
  return unknown && (found == 0 || count_ == kMostNodes);
}

}  // namespace xsp::guest
