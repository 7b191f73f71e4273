#include <algorithm>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

constexpr auto kFormula = FormulaId::kElementwise;

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
    // A scalar does not widen what it is combined with.
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
  return work_of(kFormula, flops * elements, operand->read_bytes,
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
  return work_of(kFormula, flops * input->elements, input->bytes() + bytes_of(arguments.input(1)), input->bytes(),
                 data_type_of(input->element));
}

/// condition, a, b
Result selection(const Arguments& arguments, double) {
  const auto all = broadcast(arguments, 3);
  const TensorShape* chosen = arguments.input(1) != nullptr ? arguments.input(1) : arguments.input(2);
  if (!all || chosen == nullptr) return {};
  return work_of(kFormula, 0, all->read_bytes, all->elements * element_bytes(chosen->element),
                 data_type_of(chosen->element));
}

/// input_gates, hidden_gates, state, biases: writes the states and the gates.
Result fused_cell(const Arguments& arguments, double flops) {
  const TensorShape* gates = arguments.input(0);
  const TensorShape* state = arguments.input(2);
  if (gates == nullptr || state == nullptr) return {};
  double read = 0;
  for (size_t i = 0; i < arguments.inputs(); ++i) read += bytes_of(arguments.input(i));
  return work_of(kFormula, flops * state->elements, read, 2 * state->bytes() + gates->bytes(),
                 data_type_of(gates->element));
}

constexpr NamedOperator kOperators[] = {
    {"add", kFormula, binary, 1},
    {"sub", kFormula, binary, 1},
    {"rsub", kFormula, binary, 1},
    {"mul", kFormula, binary, 1},
    {"div", kFormula, binary, 1},
    {"true_divide", kFormula, binary, 1},
    {"floor_divide", kFormula, binary, 1},
    {"remainder", kFormula, binary, 1},
    {"fmod", kFormula, binary, 1},
    {"pow", kFormula, binary, 1},
    {"atan2", kFormula, binary, 1},
    {"maximum", kFormula, binary, 0},
    {"minimum", kFormula, binary, 0},
    {"lerp", kFormula, ternary, 3},
    {"addcmul", kFormula, ternary, 3},
    {"addcdiv", kFormula, ternary, 3},
    {"eq", kFormula, comparison, 0},
    {"ne", kFormula, comparison, 0},
    {"lt", kFormula, comparison, 0},
    {"le", kFormula, comparison, 0},
    {"gt", kFormula, comparison, 0},
    {"ge", kFormula, comparison, 0},
    {"logical_and", kFormula, comparison, 0},
    {"logical_or", kFormula, comparison, 0},
    {"logical_xor", kFormula, comparison, 0},
    {"logical_not", kFormula, test, 0},
    {"isnan", kFormula, test, 0},
    {"isinf", kFormula, test, 0},
    {"bitwise_and", kFormula, binary, 0},
    {"bitwise_or", kFormula, binary, 0},
    {"bitwise_xor", kFormula, binary, 0},
    {"bitwise_not", kFormula, unary, 0},
    {"where", kFormula, selection, 0},
    {"masked_fill", kFormula, binary, 0},
    {"clamp", kFormula, unary, 0},
    {"clamp_min", kFormula, unary, 0},
    {"clamp_max", kFormula, unary, 0},
    {"threshold", kFormula, unary, 0},
    {"relu", kFormula, unary, 0},
    {"relu6", kFormula, unary, 0},
    {"hardtanh", kFormula, unary, 0},
    {"leaky_relu", kFormula, unary, 1},
    {"prelu", kFormula, bias_added, 1},
    {"_prelu_kernel", kFormula, bias_added, 1},
    {"elu", kFormula, unary, 3},
    {"gelu", kFormula, unary, 8},
    {"silu", kFormula, unary, 4},
    {"mish", kFormula, unary, 5},
    {"softplus", kFormula, unary, 3},
    {"hardswish", kFormula, unary, 3},
    {"hardsigmoid", kFormula, unary, 2},
    {"sigmoid", kFormula, unary, 3},
    {"log_sigmoid_forward", kFormula, unary, 3},
    {"tanh", kFormula, unary, 1},
    {"exp", kFormula, unary, 1},
    {"exp2", kFormula, unary, 1},
    {"expm1", kFormula, unary, 1},
    {"log", kFormula, unary, 1},
    {"log2", kFormula, unary, 1},
    {"log10", kFormula, unary, 1},
    {"log1p", kFormula, unary, 1},
    {"logit", kFormula, unary, 3},
    {"sqrt", kFormula, unary, 1},
    {"rsqrt", kFormula, unary, 1},
    {"reciprocal", kFormula, unary, 1},
    {"square", kFormula, unary, 1},
    {"sin", kFormula, unary, 1},
    {"cos", kFormula, unary, 1},
    {"tan", kFormula, unary, 1},
    {"atan", kFormula, unary, 1},
    {"erf", kFormula, unary, 1},
    {"neg", kFormula, unary, 0},
    {"abs", kFormula, unary, 0},
    {"sign", kFormula, unary, 0},
    {"floor", kFormula, unary, 0},
    {"ceil", kFormula, unary, 0},
    {"round", kFormula, unary, 0},
    {"trunc", kFormula, unary, 0},
    {"nan_to_num", kFormula, unary, 0},
    {"native_dropout", kFormula, with_mask, 2},
    {"_fused_dropout", kFormula, with_mask, 2},
    {"dropout", kFormula, with_mask, 2},
    {"native_dropout_backward", kFormula, binary, 2},
    {"_masked_scale", kFormula, binary, 2},
    {"threshold_backward", kFormula, binary, 0},
    {"hardtanh_backward", kFormula, binary, 0},
    {"leaky_relu_backward", kFormula, binary, 1},
    {"gelu_backward", kFormula, binary, 14},
    {"silu_backward", kFormula, binary, 7},
    {"sigmoid_backward", kFormula, binary, 3},
    {"tanh_backward", kFormula, binary, 3},
    {"hardswish_backward", kFormula, binary, 3},
    {"hardsigmoid_backward", kFormula, binary, 1},
    {"elu_backward", kFormula, binary, 3},
    {"_thnn_fused_lstm_cell", kFormula, fused_cell, 30},
    {"_thnn_fused_gru_cell", kFormula, fused_cell, 30},
    {"Add", kFormula, binary, 1},
    {"AddV2", kFormula, binary, 1},
    {"Sub", kFormula, binary, 1},
    {"Mul", kFormula, binary, 1},
    {"Div", kFormula, binary, 1},
    {"RealDiv", kFormula, binary, 1},
    {"Pow", kFormula, binary, 1},
    {"Maximum", kFormula, binary, 0},
    {"Minimum", kFormula, binary, 0},
    {"SquaredDifference", kFormula, binary, 2},
    {"Sum", kFormula, of_all, 1},
    {"AddN", kFormula, of_all, 1},
    {"Max", kFormula, of_all, 0},
    {"Min", kFormula, of_all, 0},
    {"BiasAdd", kFormula, bias_added, 1},
    {"BiasGelu", kFormula, bias_added, 9},
    {"FastGelu", kFormula, unary, 8},
    {"Gelu", kFormula, unary, 8},
    {"QuickGelu", kFormula, unary, 4},
    {"PRelu", kFormula, bias_added, 1},
    {"Relu", kFormula, unary, 0},
    {"Relu6", kFormula, unary, 0},
    {"Clip", kFormula, unary, 0},
    {"LeakyRelu", kFormula, unary, 1},
    {"Elu", kFormula, unary, 3},
    {"Selu", kFormula, unary, 3},
    {"Sigmoid", kFormula, unary, 3},
    {"HardSigmoid", kFormula, unary, 2},
    {"HardSwish", kFormula, unary, 3},
    {"Softplus", kFormula, unary, 3},
    {"Tanh", kFormula, unary, 1},
    {"Exp", kFormula, unary, 1},
    {"Log", kFormula, unary, 1},
    {"Sqrt", kFormula, unary, 1},
    {"Rsqrt", kFormula, unary, 1},
    {"Reciprocal", kFormula, unary, 1},
    {"Square", kFormula, unary, 1},
    {"Sin", kFormula, unary, 1},
    {"Cos", kFormula, unary, 1},
    {"Erf", kFormula, unary, 1},
    {"Neg", kFormula, unary, 0},
    {"Abs", kFormula, unary, 0},
    {"Where", kFormula, selection, 0},
    {"Equal", kFormula, comparison, 0},
    {"Greater", kFormula, comparison, 0},
    {"Less", kFormula, comparison, 0},
    {"And", kFormula, comparison, 0},
    {"Or", kFormula, comparison, 0},
    {"Not", kFormula, test, 0},
    {"ReluGrad", kFormula, binary, 0},
    {"SigmoidGrad", kFormula, binary, 3},
    {"TanhGrad", kFormula, binary, 3},
};

}  // namespace

std::span<const NamedOperator> elementwise_operators() { return kOperators; }

}  // namespace xsp::analysis
