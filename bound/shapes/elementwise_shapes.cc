#include <fmt/format.h>

#include "bound/shapes/arithmetic_values.h"
#include "bound/shapes/operator_table.h"
#include "bound/shapes/value_folding.h"

namespace xsp::bound {
namespace {

/// The second output is the mask, which was of the input's type before opset 10.
Finding dropout(OperatorCall& call) {
  for (size_t i = 0; i < call.output_count(); ++i) call.set_shape(i, call.shape(0));
  const bool is_old = call.node().domain.empty() && call.opset() < 10;
  if (is_old && call.output_count() > 1) call.output(1).element = call.input(0).element;
  return Finding::known();
}

/// GLU-like: halves of the last dimension gate each other (com.microsoft.BiasSplitGelu).
Finding half_of_last(OperatorCall& call) {
  Dimensions shape = call.shape(0);
  if (shape.empty() || shape.back() % 2 != 0) return wrong_rank("the input", call.shape(0));
  shape.back() /= 2;
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

constexpr OperatorRule kElementwiseRules[] = {
    {"", "Abs", 1, "0", same_shape, unary_values},
    {"", "Acos", 1, "0", same_shape},
    {"", "Acosh", 1, "0", same_shape},
    {"", "Add", 1, "0", broadcast_shape, binary_values},
    {"", "And", 1, "bool", broadcast_shape, binary_values},
    {"", "Asin", 1, "0", same_shape},
    {"", "Asinh", 1, "0", same_shape},
    {"", "Atan", 1, "0", same_shape},
    {"", "Atanh", 1, "0", same_shape},
    {"", "BitCast", 1, "@to", same_shape},
    {"", "BitShift", 1, "0", broadcast_shape},
    {"", "BitwiseAnd", 1, "0", broadcast_shape},
    {"", "BitwiseNot", 1, "0", same_shape},
    {"", "BitwiseOr", 1, "0", broadcast_shape},
    {"", "BitwiseXor", 1, "0", broadcast_shape},
    {"", "Cast", 1, "@to", same_shape, cast_values},
    {"", "CastLike", 2, "1", same_shape, cast_values},
    {"", "Ceil", 1, "0", same_shape, unary_values},
    {"", "Celu", 1, "0", same_shape},
    {"", "Clip", 1, "0", same_shape},
    {"", "Cos", 1, "0", same_shape},
    {"", "Cosh", 1, "0", same_shape},
    {"", "CumProd", 1, "0", same_shape},
    {"", "CumSum", 1, "0", same_shape, cumulative_values},
    {"", "Div", 1, "0", broadcast_shape, binary_values},
    {"", "Dropout", 1, "0 bool", dropout, copy_values},
    {"", "Elu", 1, "0", same_shape},
    {"", "Equal", 1, "bool", broadcast_shape, comparison_values},
    {"", "Erf", 1, "0", same_shape},
    {"", "Exp", 1, "0", same_shape},
    {"", "Floor", 1, "0", same_shape, unary_values},
    {"", "Gelu", 1, "0", same_shape},
    {"", "Greater", 1, "bool", broadcast_shape, comparison_values},
    {"", "GreaterOrEqual", 1, "bool", broadcast_shape, comparison_values},
    {"", "HardSigmoid", 1, "0", same_shape},
    {"", "HardSwish", 1, "0", same_shape},
    {"", "Hardmax", 1, "0", same_shape},
    {"", "Identity", 1, "0", same_shape, copy_values},
    {"", "IsInf", 1, "bool", same_shape},
    {"", "IsNaN", 1, "bool", same_shape},
    {"", "LeakyRelu", 1, "0", same_shape},
    {"", "Less", 1, "bool", broadcast_shape, comparison_values},
    {"", "LessOrEqual", 1, "bool", broadcast_shape, comparison_values},
    {"", "Log", 1, "0", same_shape},
    {"", "LogSoftmax", 1, "0", same_shape},
    {"", "Max", 1, "0", broadcast_shape, binary_values},
    {"", "Mean", 1, "0", broadcast_shape},
    {"", "Min", 1, "0", broadcast_shape, binary_values},
    {"", "Mish", 1, "0", same_shape},
    {"", "Mod", 1, "0", broadcast_shape, binary_values},
    {"", "Mul", 1, "0", broadcast_shape, binary_values},
    {"", "Neg", 1, "0", same_shape, unary_values},
    {"", "Not", 1, "bool", same_shape, unary_values},
    {"", "Or", 1, "bool", broadcast_shape, binary_values},
    {"", "PRelu", 1, "0", same_shape},
    {"", "Pow", 1, "0", broadcast_shape, binary_values},
    {"", "Reciprocal", 1, "0", same_shape, unary_values},
    {"", "RegexFullMatch", 1, "bool", same_shape},
    {"", "Relu", 1, "0", same_shape, unary_values},
    {"", "Round", 1, "0", same_shape, unary_values},
    {"", "Selu", 1, "0", same_shape},
    {"", "Shrink", 1, "0", same_shape},
    {"", "Sigmoid", 1, "0", same_shape},
    {"", "Sign", 1, "0", same_shape, unary_values},
    {"", "Sin", 1, "0", same_shape},
    {"", "Sinh", 1, "0", same_shape},
    {"", "Softmax", 1, "0", same_shape},
    {"", "Softplus", 1, "0", same_shape},
    {"", "Softsign", 1, "0", same_shape},
    {"", "Sqrt", 1, "0", same_shape, unary_values},
    {"", "StringConcat", 1, "0", broadcast_shape},
    {"", "Sub", 1, "0", broadcast_shape, binary_values},
    {"", "Sum", 1, "0", broadcast_shape, binary_values},
    {"", "SwiGLU", 1, "0", same_shape},
    {"", "Swish", 1, "0", same_shape},
    {"", "Tan", 1, "0", same_shape},
    {"", "Tanh", 1, "0", same_shape},
    {"", "ThresholdedRelu", 1, "0", same_shape},
    {"", "Where", 3, "1", broadcast_shape, where_values},
    {"", "Xor", 1, "bool", broadcast_shape, binary_values},
    {"com.microsoft", "BiasAdd", 1, "0", same_shape},
    {"com.microsoft", "BiasDropout", 1, "0 bool", dropout},
    {"com.microsoft", "BiasGelu", 1, "0", same_shape},
    {"com.microsoft", "BiasSoftmax", 1, "0", same_shape},
    {"com.microsoft", "BiasSplitGelu", 1, "0", half_of_last},
    {"com.microsoft", "FastGelu", 1, "0", same_shape},
    {"com.microsoft", "Gelu", 1, "0", same_shape},
    {"com.microsoft", "QuickGelu", 1, "0", same_shape},
};

}  // namespace

std::span<const OperatorRule> elementwise_rules() { return kElementwiseRules; }

Finding same_shape(OperatorCall& call) {
  if (!call.has(0)) return Finding::impossible("the first input is left out");
  call.set_shape(0, call.shape(0));
  return Finding::known();
}

Finding broadcast_shape(OperatorCall& call) {
  if (!call.has(0)) return Finding::impossible("the first input is left out");
  Dimensions shape = call.shape(0);
  // Before opset 7 the second input was repeated from `axis` on, and the first one's shape was the result's.
  const bool is_old = call.node().integer("broadcast", 0) != 0;
  for (size_t i = 1; i < call.input_count() && !is_old; ++i) {
    if (!call.has(i)) return Finding::impossible(fmt::format("input {} is left out", i));
    if (!broadcast(shape, call.shape(i), &shape))
      return Finding::impossible(fmt::format("{} and {} do not broadcast", text_of(shape), text_of(call.shape(i))));
  }
  call.set_shape(0, std::move(shape));
  return Finding::known();
}

}  // namespace xsp::bound
