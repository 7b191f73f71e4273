#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bound/onnx/element_type.h"

namespace xsp::bound {

/// What is known of a value of a graph before anything runs.
struct ValueFacts {
  ElementType element = ElementType::kUndefined;
  bool has_shape = false;  // all dimensions are known
  std::vector<int64_t> dimensions;

  /// Computed from shapes and constants alone: a weight, or the input of a Reshape. A program computes it once.
  bool is_constant = false;
  /// Values in row-major order, where they are known: of whole numbers and booleans, of at most
  /// ConstantTensor::kMostConstantElements elements.
  std::optional<std::vector<int64_t>> integers;
  /// The same for floating point (scales of Resize, bounds of Clip).
  std::optional<std::vector<double>> numbers;

  /// Where has_shape is false: why, in words that name the node and the operator behind which nothing is known, or the
  /// dimension ("the operator com.acme.Foo of node n3 is unknown").
  std::string why;

  /// Number of elements; only with has_shape. Shapes with 2^53 elements or more do not exist.
  double elements() const;
  /// "f32[1,3,224,224]" as doc/import.md has it; "" without a shape.
  std::string text() const;
};

/// Facts by the name of the value.
using GraphFacts = std::unordered_map<std::string, ValueFacts>;

}  // namespace xsp::bound
