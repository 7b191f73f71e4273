#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/concurrency/node_graph.h"
#include "analysis/concurrency/node_join.h"

namespace xsp::analysis {

/// What waits for what, of layers instead of nodes. A vertex is a layer with all its nodes, or nodes without a layer,
/// which only hand on what waits for them. Vertices follow those that they wait for.
struct OperationGraph {
  struct Vertex {
    uint32_t layer = kNoLayerOfNode;
    std::vector<uint32_t> after;  // vertices, ascending, each once
  };
  std::vector<Vertex> vertices;
};

/// Layers that wait for one another, as their nodes lie between those of others, stand one behind the other in their
/// order in the trace.
OperationGraph contract(const NodeGraph& graph, const NodeJoin& join);

/// Which of some vertices have no path between them. Of the vertices that were asked for only the first so many are
/// known that the answer takes bounded memory: all of them in graphs of some ten thousand vertices.
class Independence {
 public:
  /// `after` by vertex, as in OperationGraph; `of` says which vertices are asked for.
  Independence(std::span<const std::vector<uint32_t>> after, const std::vector<uint32_t>& of);

  size_t known() const { return known_; }

  /// Calls `visit(other)` for each vertex behind number `i` of `of` that is independent of it, as a number of `of`, in
  /// their order, until it returns false.
  template <typename Visit>
  void each_behind(size_t i, Visit visit) const {
    for (size_t word = (i + 1) / 64; word < words_; ++word) {
      uint64_t free = ~(before_[i * words_ + word] | behind_[i * words_ + word]);
      if (word == (i + 1) / 64) free &= ~uint64_t{0} << (i + 1) % 64;
      for (; free != 0; free &= free - 1) {
        const size_t other = word * 64 + static_cast<size_t>(__builtin_ctzll(free));
        if (other >= known_ || !visit(other)) return;
      }
    }
  }

 private:
  size_t known_ = 0;
  size_t words_ = 0;              // of a row
  std::vector<uint64_t> before_;  // by number of `of`: those that it waits for
  std::vector<uint64_t> behind_;  // those that wait for it
};

}  // namespace xsp::analysis
