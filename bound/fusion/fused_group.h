#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xsp::bound {

inline constexpr size_t kNoLayer = SIZE_MAX;

/// Layers that a library can compute by one call, or a runtime by one node. A candidate: groups may overlap, and one is
/// taken only where it was measured and is faster than its parts.
struct FusedGroup {
  std::string rule;            // name of the rule that found it (fusion_rules()): "convolution"
  std::string pattern;         // the operators in order: "Conv+BatchNormalization+Add+Relu"
  std::vector<size_t> layers;  // of the model, ascending; the last one writes what the group writes
  std::string problem;         // what is measured, canonical text
  std::string model;  // the group as an ONNX model of its own (bytes); empty where a runtime has no node for it
  std::optional<double> flops;
  std::optional<double> bytes;

  /// Of a group with an Add (or Mul) of two tensors that layers compute: the producer of the operand from outside, and
  /// the part of the group that computes the other one. The group delays whichever is ready first. kNoLayer: none.
  size_t outer_operand = kNoLayer;
  size_t inner_operand = kNoLayer;
};

}  // namespace xsp::bound
