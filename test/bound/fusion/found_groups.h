#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "bound/fusion/fused_groups.h"
#include "test/bound/model/taken_apart.h"

namespace xsp::bound::test {

/// The groups of a model whose last node writes its output.
inline std::vector<FusedGroup> found_groups(ModelBuilder builder) {
  builder.output(builder.last_node().outputs[0]);
  return find_fusions(taken_apart(builder));
}

/// "Conv+Relu: conv …", a line a group.
inline std::vector<std::string> texts_of(const std::vector<FusedGroup>& groups) {
  std::vector<std::string> texts;
  for (const FusedGroup& group : groups) texts.push_back(group.pattern + ": " + group.problem);
  return texts;
}

/// The problem of the longest group of a rule; empty: there is none.
inline std::string longest(const std::vector<FusedGroup>& groups, std::string_view rule) {
  const FusedGroup* best = nullptr;
  for (const FusedGroup& group : groups) {
    if (group.rule == rule && (best == nullptr || group.layers.size() > best->layers.size())) best = &group;
  }
  return best == nullptr ? "" : best->problem;
}

inline std::string longest(const ModelBuilder& builder, std::string_view rule) {
  return longest(found_groups(builder), rule);
}

}  // namespace xsp::bound::test
