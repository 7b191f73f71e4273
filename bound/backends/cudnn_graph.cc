#include "bound/backends/cudnn_graph.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

constexpr std::pair<ElementType, DataTypeName> kDataTypes[] = {
    {ElementType::kF32, CUDNN_DATA_FLOAT},       {ElementType::kF64, CUDNN_DATA_DOUBLE},
    {ElementType::kF16, CUDNN_DATA_HALF},        {ElementType::kBf16, CUDNN_DATA_BFLOAT16},
    {ElementType::kI8, CUDNN_DATA_INT8},         {ElementType::kU8, CUDNN_DATA_UINT8},
    {ElementType::kI32, CUDNN_DATA_INT32},       {ElementType::kI64, CUDNN_DATA_INT64},
    {ElementType::kF8E4M3, CUDNN_DATA_FP8_E4M3}, {ElementType::kF8E5M2, CUDNN_DATA_FP8_E5M2},
};

/// cuDNN's kernels count with 32 bits.
constexpr int64_t kMostTensorElements = std::numeric_limits<int32_t>::max();

using DrawGraphs = Status (*)(const ProblemInput& input, std::vector<Graph>* graphs);
constexpr std::pair<std::string_view, DrawGraphs> kDrawings[] = {
    {"conv", draw_convolution},     {"deconv", draw_transposed_convolution},
    {"matmul", draw_product},       {"sdpa", draw_attention},
    {"maxpool", draw_pooling},      {"avgpool", draw_pooling},
    {"resize", draw_resizing},      {"eltwise", draw_elementwise},
    {"binary", draw_binary},        {"cast", draw_cast},
    {"reduce", draw_reduction},     {"batchnorm", draw_batch_norm},
    {"layernorm", draw_layer_norm},
};

ElementType element_named(std::string_view name) {
  if (name == "tf32") return ElementType::kF32;
  return element_type_named(name).value_or(ElementType::kUndefined);
}

}  // namespace

size_t GraphTensor::span() const {
  int64_t span = 1;
  for (size_t i = 0; i < dimensions.size(); ++i) span += (dimensions[i] - 1) * strides[i];
  return static_cast<size_t>(span);
}

std::optional<DataTypeName> cudnn_type_of(ElementType element) {
  const auto* const found = std::ranges::find(kDataTypes, element, &std::pair<ElementType, DataTypeName>::first);
  return found == std::end(kDataTypes) ? std::nullopt : std::optional(found->second);
}

std::string_view name_of(DataLayout layout) { return layout == DataLayout::kPlain ? "plain" : "channels_last"; }

Dimensions strides_of(const Dimensions& dimensions, DataLayout layout) {
  std::vector<size_t> order(dimensions.size());  // from the slowest to the quickest
  std::iota(order.begin(), order.end(), size_t{0});
  if (layout == DataLayout::kChannelsLast && order.size() > 2)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  Dimensions strides(dimensions.size(), 1);
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= dimensions[order[i]];
  }
  return strides;
}

Status ProblemInput::make(const Problem& problem, ProblemInput* input) {
  input->problem_ = problem;
  input->operands_ = operand_shapes(problem);
  const auto result = checked_result_dimensions(problem);
  if (input->operands_.empty() || !result) return {"cuDNN has no call for this kind of problem", ""};
  input->result_ = *result;
  const std::string destination =
      problem.kind() == "cast" ? std::string(problem.field("to")) : problem.types().destination;
  input->result_element_ = element_named(destination);
  input->is_tf32_ = problem.types().source == "tf32";
  bool fits = elements_in(*result).value_or(0) <= kMostTensorElements && elements_in(*result).value_or(0) > 0;
  bool is_known = cudnn_type_of(input->result_element_).has_value();
  for (const OperandShape& operand : input->operands_) {
    input->elements_.push_back(element_named(operand.element));
    is_known = is_known && cudnn_type_of(input->elements_.back()).has_value();
    const int64_t elements = elements_in(operand.dimensions).value_or(0);
    fits = fits && elements > 0 && elements <= kMostTensorElements;
  }
  if (!is_known) return {"cuDNN does not have these types", ""};
  if (!fits) return {"a tensor is empty, or has more elements than cuDNN can count", ""};
  return {};
}

std::optional<size_t> ProblemInput::operand(std::string_view name) const {
  const auto found = std::ranges::find(operands_, name, &OperandShape::name);
  return found == operands_.end() ? std::nullopt
                                  : std::optional(static_cast<size_t>(std::distance(operands_.begin(), found)));
}

ElementType ProblemInput::inner_element() const {
  return result_element_ == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
}

bool ProblemInput::has_single_precision() const { return elements_[0] == ElementType::kF32; }

Status make_graphs(const ProblemInput& input, std::vector<Graph>* graphs) {
  const auto* const found = std::ranges::find(kDrawings, std::string_view(input.problem().kind()),
                                              &std::pair<std::string_view, DrawGraphs>::first);
  if (found == std::end(kDrawings)) return {"cuDNN has no graph for this kind of problem", ""};
  return found->second(input, graphs);
}

}  // namespace xsp::bound::cudnn
