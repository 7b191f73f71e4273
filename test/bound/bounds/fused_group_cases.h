#pragma once

#include <string>
#include <vector>

#include "bound/bounds/bounds.h"
#include "test/bound/bounds/layer_graph.h"

namespace xsp::bound::test {

using Layers = std::vector<size_t>;

inline FusedGroup group_of_layers(std::vector<size_t> layers, size_t outer = kNoLayer, size_t inner = kNoLayer) {
  FusedGroup group;
  group.rule = "test";
  group.layers = std::move(layers);
  group.outer_operand = outer;
  group.inner_operand = inner;
  return group;
}

inline std::vector<LayerTime> times_of_ms(const std::vector<double>& ms) {
  std::vector<LayerTime> times;
  for (const double each : ms) times.push_back(time_of_ms(each));
  return times;
}

}  // namespace xsp::bound::test
