#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "bound/problems/geometry.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound {

/// The value at a row-major position of the result, before `post` and before it is made fit for the destination's type.
using ReferenceValue = std::function<double(size_t position)>;

/// What a value of a kind is computed from. All of it outlives the functions below.
struct ReferenceInput {
  const Problem& problem;
  const std::vector<PlainTensor>& operands;  // those of operand_shapes(), with as many values
  const Dimensions& result;

  const PlainTensor& operand(size_t index) const { return operands[index]; }
  /// Null where the problem has no operand of that name.
  const PlainTensor* named(std::string_view name) const;
};

ReferenceValue convolution_reference(const ReferenceInput& input);
ReferenceValue transposed_convolution_reference(const ReferenceInput& input);
ReferenceValue product_reference(const ReferenceInput& input);
ReferenceValue max_pooling_reference(const ReferenceInput& input);
ReferenceValue average_pooling_reference(const ReferenceInput& input);
ReferenceValue elementwise_reference(const ReferenceInput& input);
ReferenceValue binary_reference(const ReferenceInput& input);
ReferenceValue softmax_reference(const ReferenceInput& input);
ReferenceValue batch_norm_reference(const ReferenceInput& input);
ReferenceValue layer_norm_reference(const ReferenceInput& input);
ReferenceValue added_norm_reference(const ReferenceInput& input);
ReferenceValue attention_reference(const ReferenceInput& input);
ReferenceValue response_norm_reference(const ReferenceInput& input);
ReferenceValue reduction_reference(const ReferenceInput& input);
ReferenceValue concatenation_reference(const ReferenceInput& input);
ReferenceValue transposition_reference(const ReferenceInput& input);
ReferenceValue resizing_reference(const ReferenceInput& input);
ReferenceValue cast_reference(const ReferenceInput& input);

}  // namespace xsp::bound
