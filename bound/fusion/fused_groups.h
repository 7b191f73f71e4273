#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bound/fusion/fused_group.h"
#include "bound/model/layer.h"

namespace xsp::bound {

/// A pattern of operators with what computes it (bounds.md 4.7).
struct FusionRule {
  std::string_view
      name;  // "convolution", "product", "layernorm", "add+layernorm", "attention", "quantized", "elementwise"
  std::string_view pattern;   // for people: "Conv [+ BatchNormalization] [+ Add] [+ activation]"
  std::string_view problem;   // the kind that it becomes: "conv … post=…"
  std::string_view backends;  // that compute it: "onednn, onnxruntime, cudnn"
};

/// All rules, in the order in which they are tried.
std::span<const FusionRule> fusion_rules();

/// All groups of two layers with work and more that match a rule, of each first layer the longest one first; what has
/// one first layer stands together, in the order of the last layers. Inner results are read by the group alone and are
/// no output of the graph; between two layers of a group there may be others without work (Identity, Dropout), which
/// belong to it.
std::vector<FusedGroup> find_fusions(const LayeredModel& model);

}  // namespace xsp::bound
