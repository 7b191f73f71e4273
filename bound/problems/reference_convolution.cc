#include "bound/problems/reference.h"

namespace xsp::bound {
namespace {

/// A convolution, or one transposed, laid out for single elements of its result.
struct ConvolutionPlan {
  Window window;
  const PlainTensor* source;
  const PlainTensor* weight;
  const PlainTensor* bias;
  Dimensions result;
  int64_t groups;
  std::vector<size_t> source_strides, weight_strides;
  std::vector<size_t> kernel_strides;
  int64_t kernel_elements;
};

ConvolutionPlan plan_of(const ReferenceInput& input) {
  ConvolutionPlan plan;
  plan.source = &input.operand(0);
  plan.weight = &input.operand(1);
  plan.bias = input.named("bias");
  plan.result = input.result;
  plan.groups = input.problem.integer("groups", 1);
  const Dimensions& weight = plan.weight->dimensions;
  plan.window = window_of(input.problem, Dimensions(weight.begin() + 2, weight.end())).value_or(Window());
  plan.source_strides = row_major_strides(plan.source->dimensions);
  plan.weight_strides = row_major_strides(weight);
  plan.kernel_strides = row_major_strides(plan.window.kernel);
  plan.kernel_elements = plan.window.elements();
  return plan;
}

/// Index into the kernel's dimension `i` of its element `tap`.
int64_t tap_index(const ConvolutionPlan& plan, int64_t tap, size_t i) {
  return tap / static_cast<int64_t>(plan.kernel_strides[i]) % plan.window.kernel[i];
}

/// Offset within an image of the source's element that a tap reads for the result at `indices`; nothing in the padding.
std::optional<size_t> source_offset(const ConvolutionPlan& plan, const Indices& indices, int64_t tap) {
  size_t offset = 0;
  for (size_t i = 0; i < plan.window.rank(); ++i) {
    const int64_t at = indices[i + 2] * plan.window.strides[i] - plan.window.pads_begin[i] +
                       tap_index(plan, tap, i) * plan.window.dilations[i];
    if (at < 0 || at >= plan.source->dimensions[i + 2]) return {};
    offset += static_cast<size_t>(at) * plan.source_strides[i + 2];
  }
  return offset;
}

/// The same of a transposed convolution: the element that a tap spreads onto the result at `indices`.
std::optional<size_t> spreading_offset(const ConvolutionPlan& plan, const Indices& indices, int64_t tap) {
  size_t offset = 0;
  for (size_t i = 0; i < plan.window.rank(); ++i) {
    const int64_t scaled =
        indices[i + 2] + plan.window.pads_begin[i] - tap_index(plan, tap, i) * plan.window.dilations[i];
    const int64_t at = scaled / plan.window.strides[i];
    if (scaled < 0 || scaled % plan.window.strides[i] != 0 || at >= plan.source->dimensions[i + 2]) return {};
    offset += static_cast<size_t>(at) * plan.source_strides[i + 2];
  }
  return offset;
}

double bias_of(const ConvolutionPlan& plan, const Indices& indices) {
  return plan.bias == nullptr ? 0 : static_cast<double>(plan.bias->values[static_cast<size_t>(indices[1])]);
}

double convolved(const ConvolutionPlan& plan, size_t position) {
  const Indices indices = indices_of(position, plan.result);
  const auto output_channel = static_cast<size_t>(indices[1]);
  const auto channels = static_cast<size_t>(plan.weight->dimensions[1]);  // of a group
  const size_t group = output_channel / static_cast<size_t>(plan.weight->dimensions[0] / plan.groups);
  const size_t image = static_cast<size_t>(indices[0]) * plan.source_strides[0];
  double sum = bias_of(plan, indices);
  for (int64_t tap = 0; tap < plan.kernel_elements; ++tap) {
    const auto offset = source_offset(plan, indices, tap);
    if (!offset) continue;
    for (size_t c = 0; c < channels; ++c) {
      const size_t from = image + (group * channels + c) * plan.source_strides[1] + *offset;
      const size_t by = output_channel * plan.weight_strides[0] + c * plan.weight_strides[1] + static_cast<size_t>(tap);
      sum += static_cast<double>(plan.source->values[from]) * static_cast<double>(plan.weight->values[by]);
    }
  }
  return sum;
}

double spread(const ConvolutionPlan& plan, size_t position) {
  const Indices indices = indices_of(position, plan.result);
  const auto group_outputs = static_cast<size_t>(plan.weight->dimensions[1]);
  const size_t group_inputs = static_cast<size_t>(plan.weight->dimensions[0] / plan.groups);
  const size_t group = static_cast<size_t>(indices[1]) / group_outputs;
  const size_t output_channel = static_cast<size_t>(indices[1]) % group_outputs;
  const size_t image = static_cast<size_t>(indices[0]) * plan.source_strides[0];
  double sum = bias_of(plan, indices);
  for (int64_t tap = 0; tap < plan.kernel_elements; ++tap) {
    const auto offset = spreading_offset(plan, indices, tap);
    if (!offset) continue;
    for (size_t c = group * group_inputs; c < (group + 1) * group_inputs; ++c) {
      const size_t from = image + c * plan.source_strides[1] + *offset;
      const size_t by = c * plan.weight_strides[0] + output_channel * plan.weight_strides[1] + static_cast<size_t>(tap);
      sum += static_cast<double>(plan.source->values[from]) * static_cast<double>(plan.weight->values[by]);
    }
  }
  return sum;
}

}  // namespace

ReferenceValue convolution_reference(const ReferenceInput& input) {
  return [plan = plan_of(input)](size_t position) { return convolved(plan, position); };
}

ReferenceValue transposed_convolution_reference(const ReferenceInput& input) {
  return [plan = plan_of(input)](size_t position) { return spread(plan, position); };
}

}  // namespace xsp::bound
