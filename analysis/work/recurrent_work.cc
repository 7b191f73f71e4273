#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

/// Of PyTorch's the weights are a list: matrices of input and state for each layer and direction, and vectors.
/// `parameter` is their place among the arguments.
Result from_weight_list(const Arguments& arguments, double parameter) {
  const TensorShape* input = arguments.input(0);
  const TensorArgument& weights = arguments.inputs_of(static_cast<size_t>(parameter));
  if (input == nullptr || input->rank() == 0 || input->dimension(-1) == 0) return {};
  const double steps = input->elements / static_cast<double>(input->dimension(-1));  // of all sequences
  double weight_bytes = 0;
  double weight_elements = 0;
  double units = 0;  // of all layers and directions
  double last_units = 0;
  size_t matrices = 0;
  for (const TensorShape& weight : weights) {
    weight_bytes += weight.bytes();
    if (weight.rank() != 2) continue;
    weight_elements += weight.elements;
    // Every second matrix is that of the state, [G·H, H].
    if (++matrices % 2 == 0) units += last_units = static_cast<double>(weight.dimension(1));
  }
  if (matrices < 2) return {};
  const double output = steps * last_units * element_bytes(input->element);
  return work_of(FormulaId::kRecurrent, 2 * steps * weight_elements + 30 * steps * units, input->bytes() + weight_bytes,
                 output, data_type_of(input->element));
}

/// ONNX: X [T, N, I], W [directions, G·H, I], R [directions, G·H, H], B.
Result onnx_recurrent(const Arguments& arguments, double) {
  const TensorShape* input = arguments.input(0);
  const TensorShape* weight = arguments.input(1);
  const TensorShape* recurrence = arguments.input(2);
  if (input == nullptr || weight == nullptr || recurrence == nullptr) return {};
  if (input->rank() != 3 || weight->rank() != 3 || recurrence->rank() != 3) return {};
  const double steps = static_cast<double>(input->dimension(0)) * static_cast<double>(input->dimension(1));
  const double units = static_cast<double>(recurrence->dimension(0)) * static_cast<double>(recurrence->dimension(2));
  return work_of(FormulaId::kRecurrent, 2 * steps * (weight->elements + recurrence->elements) + 30 * steps * units,
                 input->bytes() + weight->bytes() + recurrence->bytes() + bytes_of(arguments.input(3)),
                 steps * units * element_bytes(input->element), data_type_of(input->element));
}

constexpr auto kRecurrentFormula = FormulaId::kRecurrent;

constexpr NamedOperator kRecurrentOperators[] = {
    {"_cudnn_rnn", kRecurrentFormula, from_weight_list, 1},
    {"miopen_rnn", kRecurrentFormula, from_weight_list, 1},
    {"lstm", kRecurrentFormula, from_weight_list, 2},
    {"gru", kRecurrentFormula, from_weight_list, 2},
    {"rnn_tanh", kRecurrentFormula, from_weight_list, 2},
    {"rnn_relu", kRecurrentFormula, from_weight_list, 2},
    {"LSTM", kRecurrentFormula, onnx_recurrent},
    {"GRU", kRecurrentFormula, onnx_recurrent},
    {"RNN", kRecurrentFormula, onnx_recurrent},
};

}  // namespace

std::span<const NamedOperator> recurrent_operators() { return kRecurrentOperators; }

}  // namespace xsp::analysis
