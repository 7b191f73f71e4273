#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/concurrency/node_graph.h"

namespace xsp::analysis {

inline constexpr uint32_t kNoLayerOfNode = UINT32_MAX;

/// A layer of a trace, as far as its name tells which nodes it computes.
struct NamedLayer {
  std::string_view name;
  std::string_view type;
  bool is_node = false;    // a runtime's own node: of a graph that it may have optimized
  bool is_module = false;  // a part of a program, which nodes tell in front of their own names
};

/// Which layer computes each node.
struct NodeJoin {
  std::vector<uint32_t> layer_of;  // by node; kNoLayerOfNode: none that is known
  std::vector<bool> is_joined;     // by layer: it computes a node at least

  /// What a node without a layer waits for besides what the graph says: pairs of it and another node.
  std::vector<std::pair<uint32_t, uint32_t>> also_after;
};

/// Joins by name. First the layers and nodes whose names are the same, then what optimized names stand for
/// (node_names.h), then modules with their nodes: of a module that is called several times each call gets as many, in
/// order. Names that several layers or nodes have join nothing.
///
/// Nodes without a layer are taken for parts of layers of a runtime's own nodes where that is what runtimes do: slices
/// of one tensor become one split; what is computed twice is computed once; and what needs several layers, as an
/// addition does, becomes a part of the last of them, which then waits for the others.
NodeJoin join_nodes(const NodeGraph& graph, const std::vector<NamedLayer>& layers);

}  // namespace xsp::analysis
