#include <algorithm>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

double bytes_from(const Arguments& arguments, size_t first) {
  double bytes = 0;
  for (size_t i = first; i < arguments.inputs(); ++i) bytes += bytes_of(arguments.input(i));
  return bytes;
}

Result of_input(const Arguments& arguments, FormulaId formula, double flops_each) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr) return {};
  const TensorShape* output = arguments.output(0);
  return work_of(formula, flops_each * input->elements, bytes_from(arguments, 0),
                 output == nullptr ? input->bytes() : output->bytes(), data_type_of(input->element));
}

/// batch_norm(input, weight, bias, running_mean, running_var, training, …). Without values only a
/// normalization_backward function says that it was training.
Result batch_norm(const Arguments& arguments, double) {
  auto training = arguments.flag(5);
  if (!training && arguments.gradient() != nullptr) training = true;
  if (!training) return {};
  const bool has_weight = arguments.input(1) != nullptr;
  return *training ? of_input(arguments, FormulaId::kNormalization, has_weight ? 7 : 5)
                   : of_input(arguments, FormulaId::kBatchNormInference, 2);
}

Result inference(const Arguments& arguments, double flops) {
  return of_input(arguments, FormulaId::kBatchNormInference, flops);
}

/// `parameter` flops with a weight, 2 fewer without.
Result normalization(const Arguments& arguments, double parameter) {
  bool has_weight = false;
  for (size_t i = 1; i < arguments.inputs(); ++i) has_weight |= arguments.input(i) != nullptr;
  return of_input(arguments, FormulaId::kNormalization, has_weight ? parameter : parameter - 2);
}

Result rms_norm(const Arguments& arguments, double flops) { return of_input(arguments, FormulaId::kRmsNorm, flops); }

/// Of a result and of the sum of what was added before: input, skip, weight.
Result with_skip(const Arguments& arguments, double flops) {
  return of_input(arguments, flops < 7 ? FormulaId::kRmsNorm : FormulaId::kNormalization, flops);
}

/// The gradient of the output and the input are the first two, in one order or the other.
Result normalization_backward(const Arguments& arguments, double flops) {
  const TensorShape* first = arguments.input(0);
  const TensorShape* second = arguments.input(1);
  if (first == nullptr || second == nullptr || first->elements != second->elements) return {};
  double parameters = 0;
  double weight = 0;  // of the vectors: as large as the gradients of weight and bias
  for (size_t i = 2; i < arguments.inputs(); ++i) {
    const TensorShape* input = arguments.input(i);
    parameters += bytes_of(input);
    if (input != nullptr && input->rank() == 1) weight = std::max(weight, input->bytes());
  }
  return work_of(FormulaId::kNormalizationBackward, flops * first->elements,
                 first->bytes() + second->bytes() + parameters, first->bytes() + 2 * weight,
                 data_type_of(first->element));
}

Result softmax(const Arguments& arguments, double flops) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr) return {};
  const TensorShape* output = arguments.output(0);
  return work_of(FormulaId::kSoftmax, flops * input->elements, input->bytes(),
                 output == nullptr ? input->bytes() : output->bytes(), data_type_of(input->element));
}

Result softmax_backward(const Arguments& arguments, double flops) {
  const TensorShape* gradient = arguments.input(0);
  const TensorShape* output = arguments.input(1);
  if (gradient == nullptr || output == nullptr) return {};
  return work_of(FormulaId::kSoftmaxBackward, flops * output->elements, gradient->bytes() + output->bytes(),
                 output->bytes(), data_type_of(output->element));
}

constexpr auto kInference = FormulaId::kBatchNormInference;
constexpr auto kNorm = FormulaId::kNormalization;
constexpr auto kNormalizationBackwardFormula = FormulaId::kNormalizationBackward;
constexpr auto kRms = FormulaId::kRmsNorm;
constexpr auto kSoft = FormulaId::kSoftmax;
constexpr auto kSoftBackward = FormulaId::kSoftmaxBackward;

constexpr NamedOperator kNormalizationOperators[] = {
    {"_native_batch_norm_legit_no_training", kInference, inference, 2},
    {"_batch_norm_no_update", kInference, inference, 2},
    {"BatchNormalization", kInference, inference, 2},
    {"FusedBatchNorm", kInference, inference, 2},
    {"FusedBatchNormV2", kInference, inference, 2},
    {"FusedBatchNormV3", kInference, inference, 2},
    {"_FusedBatchNormEx", kInference, inference, 2},
    {"batch_norm", kNorm, batch_norm},
    {"_batch_norm_impl_index", kNorm, batch_norm},
    {"native_batch_norm", kNorm, batch_norm},
    {"_native_batch_norm_legit", kNorm, batch_norm},
    {"cudnn_batch_norm", kNorm, batch_norm},
    {"miopen_batch_norm", kNorm, batch_norm},
    {"_batch_norm_with_update", kNorm, normalization, 7},
    {"layer_norm", kNorm, normalization, 7},
    {"native_layer_norm", kNorm, normalization, 7},
    {"group_norm", kNorm, normalization, 7},
    {"native_group_norm", kNorm, normalization, 7},
    {"instance_norm", kNorm, normalization, 7},
    {"LayerNormalization", kNorm, normalization, 7},
    {"InstanceNormalization", kNorm, normalization, 7},
    {"GroupNormalization", kNorm, normalization, 7},
    {"GroupNorm", kNorm, normalization, 7},
    {"SkipLayerNormalization", kNorm, with_skip, 8},
    {"native_batch_norm_backward", kNormalizationBackwardFormula, normalization_backward, 9},
    {"cudnn_batch_norm_backward", kNormalizationBackwardFormula, normalization_backward, 9},
    {"batch_norm_backward", kNormalizationBackwardFormula, normalization_backward, 9},
    {"miopen_batch_norm_backward", kNormalizationBackwardFormula, normalization_backward, 9},
    {"FusedBatchNormGrad", kNormalizationBackwardFormula, normalization_backward, 9},
    {"FusedBatchNormGradV2", kNormalizationBackwardFormula, normalization_backward, 9},
    {"FusedBatchNormGradV3", kNormalizationBackwardFormula, normalization_backward, 9},
    {"native_layer_norm_backward", kNormalizationBackwardFormula, normalization_backward, 13},
    {"native_group_norm_backward", kNormalizationBackwardFormula, normalization_backward, 13},
    {"_fused_rms_norm_backward", kNormalizationBackwardFormula, normalization_backward, 9},
    {"rms_norm", kRms, rms_norm, 4},
    {"_fused_rms_norm", kRms, rms_norm, 4},
    {"SimplifiedLayerNormalization", kRms, rms_norm, 4},
    {"RMSNormalization", kRms, rms_norm, 4},
    {"SkipSimplifiedLayerNormalization", kRms, with_skip, 5},
    {"softmax", kSoft, softmax, 4},
    {"_softmax", kSoft, softmax, 4},
    {"_safe_softmax", kSoft, softmax, 4},
    {"_masked_softmax", kSoft, softmax, 4},
    {"log_softmax", kSoft, softmax, 4},
    {"_log_softmax", kSoft, softmax, 4},
    {"Softmax", kSoft, softmax, 4},
    {"LogSoftmax", kSoft, softmax, 4},
    {"_softmax_backward_data", kSoftBackward, softmax_backward, 4},
    {"_log_softmax_backward_data", kSoftBackward, softmax_backward, 4},
};

}  // namespace

std::span<const NamedOperator> normalization_operators() { return kNormalizationOperators; }

}  // namespace xsp::analysis
