#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bound/onnx/graph.h"

namespace xsp::bound {

/// Who writes and who reads the values of a graph; what subgraphs read of it counts as read by their node. Nodes that
/// lead to no output of the graph do not count as readers, unless it has no outputs at all.
class ValueReaders {
 public:
  /// The graph must outlive this.
  explicit ValueReaders(const Graph& graph);

  /// Whether an output of the graph is computed from what the node writes.
  bool is_needed(size_t node) const { return is_needed_[node]; }
  /// Whether a node that is needed reads the value or it is an output of the graph.
  bool is_read(const std::string& value) const { return read_.contains(value); }

  /// The nodes before `index` whose outputs the node reads, once each, in order; then its own outputs are known. To be
  /// called for each node in order.
  std::vector<size_t> producers_of(const Node& node, size_t index);

 private:
  std::vector<bool> is_needed_;
  std::unordered_set<std::string_view> read_;
  std::unordered_map<std::string_view, size_t> producers_;
};

}  // namespace xsp::bound
