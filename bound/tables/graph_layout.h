#pragma once

#include <cstddef>
#include <vector>

namespace xsp::bound {

struct LayoutNode {
  size_t rank = 0;
  double width = 0;
};

/// From a lower rank to a higher one. What has a greater weight becomes straighter.
struct LayoutEdge {
  size_t from = 0;
  size_t to = 0;
  double weight = 1;
};

/// Where the nodes of a layered graph lie across; ranks lie below one another.
struct GraphLayout {
  std::vector<double> middle;  // by node
  /// By node: where its edges to ranks beyond the next one pass the ranks between, from the next one on. All edges of a
  /// node share one lane. Empty, or shorter than an edge, where there was no room for it.
  std::vector<std::vector<double>> lanes;
};

/// Orders the nodes of each rank so that few edges cross, by barycentres, and moves them towards their neighbours.
GraphLayout lay_out(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges);

}  // namespace xsp::bound
