#pragma once

#include <cstddef>
#include <cstdint>

#include "bound/onnx/graph.h"

namespace xsp::bound {

/// What is read of a model, weights apart, takes at most this much memory.
inline constexpr size_t kMostModelBytes = size_t{1} << 30;

/// Counts what a model costs before it is made: a file of some megabytes may claim to be far more, by fields of two
/// bytes or by functions that call functions. Each call returns false once there is too much.
class ModelBudget {
 public:
  bool take_node();
  bool take_bytes(size_t bytes);
  /// A text in a list of texts.
  bool take_text(size_t size) { return take_bytes(sizeof(std::string) + size); }
  /// A copy of the node without its attributes; of an attribute or a graph with all that is in it.
  bool take_copy(const Node& node);
  bool take_copy(const Attribute& attribute);
  bool take_copy(const Graph& graph);

  uint64_t nodes() const { return nodes_; }
  /// Nodes that were counted and are given up.
  void give_back_nodes() { nodes_ = 0; }
  /// What there is too much of; for an error.
  const char* excess() const;

 private:
  uint64_t nodes_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace xsp::bound
