#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bound/fusion/fused_group.h"
#include "bound/fusion/group_work.h"
#include "bound/fusion/model_graph.h"
#include "bound/problems/problem.h"

namespace xsp::bound {

/// Layers that match a rule, and what they compute together.
struct FusionMatch {
  std::string_view rule;
  std::vector<size_t> layers;  // in any order
  Problem problem;
  size_t outer_operand = kNoLayer;
  size_t inner_operand = kNoLayer;
};

/// The groups that were found so far.
class GroupList {
 public:
  explicit GroupList(const ModelGraph& graph) : graph_(graph), is_behind_(graph.layers(), false) {}

  /// Does nothing for matches with less than two layers that have work, and for problems that back ends do not
  /// compute. The last layer writes the result.
  void add(FusionMatch match);
  /// The same for what only a framework computes; `write_model` is called once for equal problems.
  void add_general(FusionMatch match, const std::function<std::string()>& write_model, std::optional<double> flops,
                   std::optional<double> bytes);

  /// Whether a group has just these layers, in ascending order.
  bool contains(const std::vector<size_t>& layers) const;
  /// Whether the layer reads the result of some group.
  bool is_behind_a_group(size_t layer) const { return is_behind_[layer]; }

  /// All of them, the longest first of those with the same first layer; these families in the order of their last
  /// layers.
  std::vector<FusedGroup> sorted() &&;

 private:
  bool begin(FusionMatch* match, FusedGroup* group) const;
  void keep(FusedGroup group);

  const ModelGraph& graph_;
  std::vector<bool> is_behind_;
  std::vector<FusedGroup> groups_;
  /// Of each problem that was met; what is not computed has no work.
  struct Made {
    std::string model;
    std::optional<GroupWork> work;
  };
  std::unordered_map<std::string, Made> made_;
  std::unordered_multimap<size_t, size_t> by_last_layer_;  // indices of groups
};

}  // namespace xsp::bound
