#pragma once

#include <cstdint>
#include <vector>

#include "bound/fusion/fused_group.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// A tensor of f32 between layers, or of the model's inputs and outputs. Weights, and what is computed of constants
/// alone, are none: they can be converted beforehand.
struct FloatValue {
  size_t producer = kNoLayer;   // kNoLayer: an input of the model
  std::vector<size_t> readers;  // layers, once each, ascending
  bool is_output = false;       // of the model
  int64_t elements = 0;
};

/// All of a model, those of its inputs first, then in the order of their producers. Of a model without a source each
/// layer has one value, its first output.
std::vector<FloatValue> float_values(const LayeredModel& model);

}  // namespace xsp::bound
