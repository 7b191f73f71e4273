#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/library/cupti_abi.h"

namespace xsp::guest {

/// Which kernels an executable graph runs, in the order in which its nodes were made: for counts, whose ranges have no
/// names. Only for runs that count, whose speed does not matter: it searches linearly. The caller locks.
class GraphKernelNames {
 public:
  /// A node was made. `name` (string id): of the kernel whose launch is being captured; 0: it was made another way.
  /// `may_wait`: it must not be counted (waiting_kernels.h).
  void node_created(const cupti::GraphData& graph, uint32_t name, bool may_wait);
  /// A cloned node takes the name of its original.
  void node_cloned(const cupti::GraphData& graph);

  /// Names of an executable graph's kernels, at most `most` of them; returns how many it has. An unknown one is 0.
  size_t names_of(const void* graph_exec, uint32_t* names, size_t most) const;

  /// Whether any of its kernels may wait. `unknown`: whether one without a name may.
  bool may_wait(const void* graph_exec, bool unknown) const;

 private:
  struct Node {
    const void* node;  // null: another node has its address by now
    const void* graph;
    const void* graph_exec;
    uint32_t name;
    bool may_wait;

    bool is_of(const void* launched) const { return node != nullptr && (graph_exec == launched || graph == launched); }
  };
  static constexpr size_t kMostNodes = 1 << 16;

  Node* find(const void* node);

  Node nodes_[kMostNodes];
  size_t count_;
};

}  // namespace xsp::guest
