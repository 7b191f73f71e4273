#include <algorithm>

#include "bound/backends/onednn_plan.h"

namespace xsp::bound::onednn {
namespace {

constexpr DataLayout kChosenLayouts[] = {DataLayout::kAny, DataLayout::kPlain, DataLayout::kChannelsLast};

/// ONNX has the weights as [K, C/g, …], oneDNN with groups as [g, K/g, C/g, …]: the same order.
PlainView weight_view(Dimensions weight, int64_t groups) {
  if (groups == 1) return row_major(std::move(weight));
  weight[0] /= groups;
  weight.insert(weight.begin(), groups);
  return row_major(std::move(weight));
}

/// ONNX has the weights of a transposed convolution as [C, K/g, …], oneDNN as [K, C, …] or [g, K/g, C/g, …].
PlainView transposed_weight_view(Dimensions weight, int64_t groups) {
  PlainView view = weight_view(std::move(weight), groups);
  const size_t first = groups == 1 ? 0 : 1;
  std::swap(view.dimensions[first], view.dimensions[first + 1]);
  std::swap(view.strides[first], view.strides[first + 1]);
  return view;
}

/// oneDNN counts what lies between the taps.
Dimensions gaps(Dimensions dilations) {
  for (int64_t& dilation : dilations) --dilation;
  return dilations;
}

struct ConvolutionForm {
  PrimitiveKind kind;
  PlainView weights;
  Window window;
};

Status add_plans(const PlanInput& input, const ConvolutionForm& form, int algorithm, std::vector<Plan>* plans) {
  const auto source = input.operand("src"), weights = input.operand("wei"), bias = input.operand("bias");
  if (!source || !weights) return {"a convolution without operands"};
  for (const DataLayout layout : kChosenLayouts) {
    Plan plan;
    PrimitiveRequest& request = plan.request;
    request.kind = form.kind;
    request.algorithm = algorithm;
    request.sources = {input.described(input.type_of(*source), input.dimensions_of(*source), layout)};
    request.weights = input.described(input.type_of(*weights), form.weights.dimensions, DataLayout::kAny);
    request.destination = input.described(input.result_type(), input.result(), layout);
    if (bias) request.bias = input.described(input.type_of(*bias), input.dimensions_of(*bias), DataLayout::kPlain);
    if (!request.sources[0] || !request.weights || !request.destination || (bias && !request.bias)) continue;
    request.strides = form.window.strides;
    request.dilations = gaps(form.window.dilations);
    request.pads_begin = form.window.pads_begin;
    request.pads_end = form.window.pads_end;
    plan.arguments = {{kSource, source, row_major(input.dimensions_of(*source))},
                      {kWeights, weights, form.weights},
                      {kDestination, {}, row_major(input.result())}};
    if (bias) plan.arguments.push_back({kBias, bias, row_major(input.dimensions_of(*bias))});
    plan.set_layout(layout, input.result(), kSource);
    if (Status status = add_with_post_ops(input, plan, layout, plans); !status.ok()) return status;
  }
  return plans->empty() ? Status{"oneDNN cannot describe these tensors"} : Status();
}

/// Whether some padding is wider than image and kernel together: oneDNN walks over it for hours when it makes a
/// primitive.
bool has_absurd_padding(const Window& window, const Dimensions& source) {
  for (size_t i = 0; i < window.rank(); ++i) {
    const int64_t sensible = source[i + 2] + window.dilations[i] * (window.kernel[i] - 1) + 1;
    if (window.pads_begin[i] > sensible || window.pads_end[i] > sensible) return true;
  }
  return false;
}

Status form_of(const PlanInput& input, bool is_transposed, ConvolutionForm* form) {
  Dimensions weight = input.problem().dimensions("wei");
  const int64_t groups = input.problem().integer("groups", 1);
  if (weight.size() < 3 || groups < 1 || weight[0] % groups != 0) return {"no weights of a convolution"};
  auto window = window_of(input.problem(), Dimensions(weight.begin() + 2, weight.end()));
  if (!window) return {"no window of a convolution"};
  form->kind = is_transposed ? PrimitiveKind::kDeconvolution : PrimitiveKind::kConvolution;
  form->weights =
      is_transposed ? transposed_weight_view(std::move(weight), groups) : weight_view(std::move(weight), groups);
  form->window = *std::move(window);
  return {};
}

}  // namespace

Status plan_convolution(const PlanInput& input, std::vector<Plan>* plans) {
  ConvolutionForm form;
  if (Status status = form_of(input, false, &form); !status.ok()) return status;
  if (has_absurd_padding(form.window, input.problem().dimensions("src"))) return {"padding wider than the image"};
  if (Status status = add_plans(input, form, kDirectConvolution, plans); !status.ok()) return status;
  if (!input.dialect().has_winograd() || input.result_type() != DataType::kF32) return {};
  return add_plans(input, form, kWinogradConvolution, plans);
}

Status plan_transposed_convolution(const PlanInput& input, std::vector<Plan>* plans) {
  ConvolutionForm form;
  if (Status status = form_of(input, true, &form); !status.ok()) return status;
  // Rows and columns that only the result has take away from the padding behind it.
  const Dimensions extra = input.problem().dimensions("outpad");
  for (size_t i = 0; i < std::min(extra.size(), form.window.pads_end.size()); ++i) form.window.pads_end[i] -= extra[i];
  return add_plans(input, form, kDirectDeconvolution, plans);
}

}  // namespace xsp::bound::onednn
