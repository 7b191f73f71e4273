#pragma once

#include <string>
#include <vector>

#include "bound/bounds/layer_times.h"
#include "bound/model/layer.h"

namespace xsp::bound::test {

/// A compute layer that reads what the producers write.
inline Layer layer_after(std::string name, std::vector<size_t> producers) {
  Layer layer;
  layer.name = std::move(name);
  layer.type = "Conv";
  layer.layer_class = LayerClass::kCompute;
  layer.unique = kNoProblem;
  layer.producers = std::move(producers);
  return layer;
}

/// A graph by the producers of each layer; layers are called l0, l1, …
inline LayeredModel graph_of(const std::vector<std::vector<size_t>>& producers) {
  LayeredModel model;
  for (const auto& of_layer : producers) {
    model.layers.push_back(layer_after("l" + std::to_string(model.layers.size()), of_layer));
  }
  return model;
}

inline LayerTime time_of_ms(double ms) {
  LayerTime time;
  time.bound_ms = ms;
  time.counts = true;
  return time;
}

}  // namespace xsp::bound::test
