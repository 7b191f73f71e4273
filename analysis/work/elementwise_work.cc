#include <algorithm>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

constexpr auto kElementwiseFormula = FormulaId::kElementwise;

/// The shape that operands are broadcast to, with the element type of arithmetic on them.
struct Broadcast {
  double elements = 1;
  std::string_view element;
  double read_bytes = 0;
  bool any = false;
};

/// Of the first `operands` inputs; nothing where their shapes do not fit each other.
std::optional<Broadcast> broadcast(const Arguments& arguments, size_t operands) {
  Broadcast result;
  std::vector<int64_t> reversed;
  std::string_view of_scalars;
  for (size_t i = 0; i < std::min(operands, arguments.inputs()); ++i) {
    const TensorShape* input = arguments.input(i);
    if (input == nullptr) continue;
    result.any = true;
    result.read_bytes += input->bytes();
    // A scalar does not widen the type that it is combined with.
    std::string_view& type = input->rank() == 0 ? of_scalars : result.element;
    type = type.empty() ? input->element : promoted(type, input->element);
    if (reversed.size() < input->rank()) reversed.resize(input->rank(), 1);
    for (size_t k = 0; k < input->rank(); ++k) {
      const int64_t dimension = input->dimensions[input->rank() - 1 - k];
      if (reversed[k] == 1) {
        reversed[k] = dimension;
      } else if (dimension != 1 && dimension != reversed[k]) {
        return {};
      }
    }
  }
  if (!result.any) return {};
  if (result.element.empty()) result.element = of_scalars;
  const auto shape = TensorShape::of(result.element, std::move(reversed));
  if (!shape) return {};
  result.elements = shape->elements;
  return result;
}

/// The output, and what arithmetic is done in.
Result elementwise(const Arguments& arguments, size_t operands, double flops, std::string_view output_element) {
  const auto operand = broadcast(arguments, operands);
  if (!operand) return {};
  const TensorShape* output = arguments.output(0);
  const std::string_view element = output_element.empty() ? operand->element : output_element;
  const double elements = output == nullptr ? operand->elements : output->elements;
  return work_of(kElementwiseFormula, flops * elements, operand->read_bytes,
                 output == nullptr ? elements * element_bytes(element) : output->bytes(),
                 data_type_of(operand->element));
}

Result unary(const Arguments& arguments, double flops) { return elementwise(arguments, 1, flops, {}); }
Result binary(const Arguments& arguments, double flops) { return elementwise(arguments, 2, flops, {}); }
Result ternary(const Arguments& arguments, double flops) { return elementwise(arguments, 3, flops, {}); }
Result comparison(const Arguments& arguments, double flops) { return elementwise(arguments, 2, flops, "bool"); }
Result test(const Arguments& arguments, double flops) { return elementwise(arguments, 1, flops, "bool"); }

/// Any number of operands (ONNX's Sum and Max); with a smaller output TensorFlow's reductions of that name.
Result of_all(const Arguments& arguments, double flops) {
  const TensorShape* first = arguments.input(0);
  const TensorShape* output = arguments.output(0);
  if (first != nullptr && output != nullptr && output->elements < first->elements) {
    return work_of(FormulaId::kReduction, flops * first->elements, first->bytes(), output->bytes(),
                   data_type_of(first->element));
  }
  double operands = 0;
  for (size_t i = 0; i < arguments.inputs(); ++i) operands += arguments.input(i) == nullptr ? 0 : 1;
  return elementwise(arguments, arguments.inputs(), flops * std::max(0.0, operands - 1), {});
}

/// A result and a mask of booleans.
Result with_mask(const Arguments& arguments, double flops) {
  auto work = elementwise(arguments, 1, flops, {});
  if (work && arguments.output(1) == nullptr && arguments.input(0) != nullptr) {
    work->write_bytes += arguments.input(0)->elements;
  } else if (work && arguments.output(1) != nullptr) {
    work->write_bytes += arguments.output(1)->bytes();
  }
  return work;
}

/// An affine map of channels or rows: a bias of another rank than what it is added to.
Result bias_added(const Arguments& arguments, double flops) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr) return {};
  return work_of(kElementwiseFormula, flops * input->elements, input->bytes() + bytes_of(arguments.input(1)),
                 input->bytes(), data_type_of(input->element));
}

/// condition, a, b
Result selection(const Arguments& arguments, double) {
  const auto all = broadcast(arguments, 3);
  const TensorShape* chosen = arguments.input(1) != nullptr ? arguments.input(1) : arguments.input(2);
  if (!all || chosen == nullptr) return {};
  return work_of(kElementwiseFormula, 0, all->read_bytes, all->elements * element_bytes(chosen->element),
                 data_type_of(chosen->element));
}

/// input_gates, hidden_gates, state, biases: writes the states and the gates.
Result fused_cell(const Arguments& arguments, double flops) {
  const TensorShape* gates = arguments.input(0);
  const TensorShape* state = arguments.input(2);
  if (gates == nullptr || state == nullptr) return {};
  double read = 0;
  for (size_t i = 0; i < arguments.inputs(); ++i) read += bytes_of(arguments.input(i));
  return work_of(kElementwiseFormula, flops * state->elements, read, 2 * state->bytes() + gates->bytes(),
                 data_type_of(gates->element));
}

constexpr NamedOperator kElementwiseOperators[] = {
    {"add", kElementwiseFormula, binary, 1},
    {"sub", kElementwiseFormula, binary, 1},
    {"rsub", kElementwiseFormula, binary, 1},
    {"mul", kElementwiseFormula, binary, 1},
    {"div", kElementwiseFormula, binary, 1},
    {"true_divide", kElementwiseFormula, binary, 1},
    {"floor_divide", kElementwiseFormula, binary, 1},
    {"remainder", kElementwiseFormula, binary, 1},
    {"fmod", kElementwiseFormula, binary, 1},
    {"pow", kElementwiseFormula, binary, 1},
    {"atan2", kElementwiseFormula, binary, 1},
    {"maximum", kElementwiseFormula, binary, 0},
    {"minimum", kElementwiseFormula, binary, 0},
    {"lerp", kElementwiseFormula, ternary, 3},
    {"addcmul", kElementwiseFormula, ternary, 3},
    {"addcdiv", kElementwiseFormula, ternary, 3},
    {"eq", kElementwiseFormula, comparison, 0},
    {"ne", kElementwiseFormula, comparison, 0},
    {"lt", kElementwiseFormula, comparison, 0},
    {"le", kElementwiseFormula, comparison, 0},
    {"gt", kElementwiseFormula, comparison, 0},
    {"ge", kElementwiseFormula, comparison, 0},
    {"logical_and", kElementwiseFormula, comparison, 0},
    {"logical_or", kElementwiseFormula, comparison, 0},
    {"logical_xor", kElementwiseFormula, comparison, 0},
    {"logical_not", kElementwiseFormula, test, 0},
    {"isnan", kElementwiseFormula, test, 0},
    {"isinf", kElementwiseFormula, test, 0},
    {"bitwise_and", kElementwiseFormula, binary, 0},
    {"bitwise_or", kElementwiseFormula, binary, 0},
    {"bitwise_xor", kElementwiseFormula, binary, 0},
    {"bitwise_not", kElementwiseFormula, unary, 0},
    {"where", kElementwiseFormula, selection, 0},
    {"masked_fill", kElementwiseFormula, binary, 0},
    {"clamp", kElementwiseFormula, unary, 0},
    {"clamp_min", kElementwiseFormula, unary, 0},
    {"clamp_max", kElementwiseFormula, unary, 0},
    {"threshold", kElementwiseFormula, unary, 0},
    {"relu", kElementwiseFormula, unary, 0},
    {"relu6", kElementwiseFormula, unary, 0},
    {"hardtanh", kElementwiseFormula, unary, 0},
    {"leaky_relu", kElementwiseFormula, unary, 1},
    {"prelu", kElementwiseFormula, bias_added, 1},
    {"_prelu_kernel", kElementwiseFormula, bias_added, 1},
    {"elu", kElementwiseFormula, unary, 3},
    {"gelu", kElementwiseFormula, unary, 8},
    {"silu", kElementwiseFormula, unary, 4},
    {"mish", kElementwiseFormula, unary, 5},
    {"softplus", kElementwiseFormula, unary, 3},
    {"hardswish", kElementwiseFormula, unary, 3},
    {"hardsigmoid", kElementwiseFormula, unary, 2},
    {"sigmoid", kElementwiseFormula, unary, 3},
    {"log_sigmoid_forward", kElementwiseFormula, unary, 3},
    {"tanh", kElementwiseFormula, unary, 1},
    {"exp", kElementwiseFormula, unary, 1},
    {"exp2", kElementwiseFormula, unary, 1},
    {"expm1", kElementwiseFormula, unary, 1},
    {"log", kElementwiseFormula, unary, 1},
    {"log2", kElementwiseFormula, unary, 1},
    {"log10", kElementwiseFormula, unary, 1},
    {"log1p", kElementwiseFormula, unary, 1},
    {"logit", kElementwiseFormula, unary, 3},
    {"sqrt", kElementwiseFormula, unary, 1},
    {"rsqrt", kElementwiseFormula, unary, 1},
    {"reciprocal", kElementwiseFormula, unary, 1},
    {"square", kElementwiseFormula, unary, 1},
    {"sin", kElementwiseFormula, unary, 1},
    {"cos", kElementwiseFormula, unary, 1},
    {"tan", kElementwiseFormula, unary, 1},
    {"atan", kElementwiseFormula, unary, 1},
    {"erf", kElementwiseFormula, unary, 1},
    {"neg", kElementwiseFormula, unary, 0},
    {"abs", kElementwiseFormula, unary, 0},
    {"sign", kElementwiseFormula, unary, 0},
    {"floor", kElementwiseFormula, unary, 0},
    {"ceil", kElementwiseFormula, unary, 0},
    {"round", kElementwiseFormula, unary, 0},
    {"trunc", kElementwiseFormula, unary, 0},
    {"nan_to_num", kElementwiseFormula, unary, 0},
    {"native_dropout", kElementwiseFormula, with_mask, 2},
    {"_fused_dropout", kElementwiseFormula, with_mask, 2},
    {"dropout", kElementwiseFormula, with_mask, 2},
    {"native_dropout_backward", kElementwiseFormula, binary, 2},
    {"_masked_scale", kElementwiseFormula, binary, 2},
    {"threshold_backward", kElementwiseFormula, binary, 0},
    {"hardtanh_backward", kElementwiseFormula, binary, 0},
    {"leaky_relu_backward", kElementwiseFormula, binary, 1},
    {"gelu_backward", kElementwiseFormula, binary, 14},
    {"silu_backward", kElementwiseFormula, binary, 7},
    {"sigmoid_backward", kElementwiseFormula, binary, 3},
    {"tanh_backward", kElementwiseFormula, binary, 3},
    {"hardswish_backward", kElementwiseFormula, binary, 3},
    {"hardsigmoid_backward", kElementwiseFormula, binary, 1},
    {"elu_backward", kElementwiseFormula, binary, 3},
    {"_thnn_fused_lstm_cell", kElementwiseFormula, fused_cell, 30},
    {"_thnn_fused_gru_cell", kElementwiseFormula, fused_cell, 30},
    {"Add", kElementwiseFormula, binary, 1},
    {"AddV2", kElementwiseFormula, binary, 1},
    {"Sub", kElementwiseFormula, binary, 1},
    {"Mul", kElementwiseFormula, binary, 1},
    {"Div", kElementwiseFormula, binary, 1},
    {"RealDiv", kElementwiseFormula, binary, 1},
    {"Pow", kElementwiseFormula, binary, 1},
    {"Maximum", kElementwiseFormula, binary, 0},
    {"Minimum", kElementwiseFormula, binary, 0},
    {"SquaredDifference", kElementwiseFormula, binary, 2},
    {"Sum", kElementwiseFormula, of_all, 1},
    {"AddN", kElementwiseFormula, of_all, 1},
    {"Max", kElementwiseFormula, of_all, 0},
    {"Min", kElementwiseFormula, of_all, 0},
    {"BiasAdd", kElementwiseFormula, bias_added, 1},
    {"BiasGelu", kElementwiseFormula, bias_added, 9},
    {"FastGelu", kElementwiseFormula, unary, 8},
    {"Gelu", kElementwiseFormula, unary, 8},
    {"QuickGelu", kElementwiseFormula, unary, 4},
    {"PRelu", kElementwiseFormula, bias_added, 1},
    {"Relu", kElementwiseFormula, unary, 0},
    {"Relu6", kElementwiseFormula, unary, 0},
    {"Clip", kElementwiseFormula, unary, 0},
    {"LeakyRelu", kElementwiseFormula, unary, 1},
    {"Elu", kElementwiseFormula, unary, 3},
    {"Selu", kElementwiseFormula, unary, 3},
    {"Sigmoid", kElementwiseFormula, unary, 3},
    {"HardSigmoid", kElementwiseFormula, unary, 2},
    {"HardSwish", kElementwiseFormula, unary, 3},
    {"Softplus", kElementwiseFormula, unary, 3},
    {"Tanh", kElementwiseFormula, unary, 1},
    {"Exp", kElementwiseFormula, unary, 1},
    {"Log", kElementwiseFormula, unary, 1},
    {"Sqrt", kElementwiseFormula, unary, 1},
    {"Rsqrt", kElementwiseFormula, unary, 1},
    {"Reciprocal", kElementwiseFormula, unary, 1},
    {"Square", kElementwiseFormula, unary, 1},
    {"Sin", kElementwiseFormula, unary, 1},
    {"Cos", kElementwiseFormula, unary, 1},
    {"Erf", kElementwiseFormula, unary, 1},
    {"Neg", kElementwiseFormula, unary, 0},
    {"Abs", kElementwiseFormula, unary, 0},
    {"Where", kElementwiseFormula, selection, 0},
    {"Equal", kElementwiseFormula, comparison, 0},
    {"Greater", kElementwiseFormula, comparison, 0},
    {"Less", kElementwiseFormula, comparison, 0},
    {"And", kElementwiseFormula, comparison, 0},
    {"Or", kElementwiseFormula, comparison, 0},
    {"Not", kElementwiseFormula, test, 0},
    {"ReluGrad", kElementwiseFormula, binary, 0},
    {"SigmoidGrad", kElementwiseFormula, binary, 3},
    {"TanhGrad", kElementwiseFormula, binary, 3},
};

}  // namespace

std::span<const NamedOperator> elementwise_operators() { return kElementwiseOperators; }

}  // namespace xsp::analysis
