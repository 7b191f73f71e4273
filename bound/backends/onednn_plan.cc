#include "bound/backends/onednn_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bound/problems/plain_values.h"

namespace xsp::bound::onednn {
namespace {

struct TypeRow {
  ElementType element;
  DataType type;
};
constexpr TypeRow kTypes[] = {
    {ElementType::kF32, DataType::kF32}, {ElementType::kF16, DataType::kF16}, {ElementType::kBf16, DataType::kBf16},
    {ElementType::kI32, DataType::kS32}, {ElementType::kI8, DataType::kS8},   {ElementType::kU8, DataType::kU8},
};

DataType type_named(std::string_view name) {
  const auto* const found =
      std::ranges::find(kTypes, element_type_named(name).value_or(ElementType::kUndefined), &TypeRow::element);
  return found == std::end(kTypes) ? DataType::kUndefined : found->type;
}

constexpr std::pair<std::string_view, Planner> kPlanners[] = {
    {"conv", plan_convolution},
    {"deconv", plan_transposed_convolution},
    {"matmul", plan_product},
    {"maxpool", plan_pooling},
    {"avgpool", plan_pooling},
    {"eltwise", plan_eltwise},
    {"binary", plan_binary},
    {"softmax", plan_softmax},
    {"batchnorm", plan_batch_normalization},
    {"layernorm", plan_layer_normalization},
    {"lrn", plan_response_normalization},
    {"reduce", plan_reduction},
    {"concat", plan_concatenation},
    {"transpose", plan_transposition},
    {"resize", plan_resizing},
    {"cast", plan_cast},
};

/// Many of its kernels count in int.
Status check_size(std::string_view name, const Dimensions& dimensions) {
  const auto elements = elements_in(dimensions);
  if (!elements || *elements > std::numeric_limits<int32_t>::max())
    return {fmt::format("{} is too large for oneDNN", name)};
  return *elements == 0 ? Status{fmt::format("{} has no elements", name)} : Status();
}

}  // namespace

ElementType element_type_of(DataType type) {
  const auto* const found = std::ranges::find(kTypes, type, &TypeRow::type);
  return found == std::end(kTypes) ? ElementType::kUndefined : found->element;
}

Planner planner_of(std::string_view kind) {
  const auto* const found = std::ranges::find(kPlanners, kind, &std::pair<std::string_view, Planner>::first);
  return found == std::end(kPlanners) ? nullptr : found->second;
}

PlainView row_major(Dimensions dimensions) {
  PlainView view;
  for (const size_t stride : row_major_strides(dimensions)) view.strides.push_back(static_cast<int64_t>(stride));
  view.dimensions = std::move(dimensions);
  return view;
}

PlainView row_major_of_rank(const Dimensions& dimensions, size_t rank) {
  Dimensions wider(rank > dimensions.size() ? rank - dimensions.size() : 0, 1);
  wider.insert(wider.end(), dimensions.begin(), dimensions.end());
  return row_major(std::move(wider));
}

std::string_view name_of(DataLayout layout) {
  switch (layout) {
    case DataLayout::kAny:
      return "any";
    case DataLayout::kPlain:
      return "plain";
    case DataLayout::kChannelsLast:
      return "channels_last";
    case DataLayout::kBlocked16:
    case DataLayout::kBlocked8:
      break;
  }
  return "blocked";
}

std::vector<DataLayout> given_layouts(const Dimensions& dimensions) {
  std::vector<DataLayout> layouts{DataLayout::kPlain};
  if (dimensions.size() < 3 || dimensions.size() > 5) return layouts;
  if (dimensions[1] > 1) layouts.push_back(DataLayout::kChannelsLast);
  if (dimensions[1] % 16 == 0) layouts.push_back(DataLayout::kBlocked16);
  if (dimensions[1] % 8 == 0) layouts.push_back(DataLayout::kBlocked8);
  return layouts;
}

void Plan::set_layout(DataLayout data_layout, const Dimensions& dimensions, int of, std::string_view prefix) {
  layout = std::string(prefix) + std::string(name_of(data_layout));
  if (data_layout != DataLayout::kPlain && data_layout != DataLayout::kChannelsLast) chosen_argument = of;
  // Blocks of 16 are those of AVX-512, of 8 those of narrower vectors.
  is_substitute = data_layout == DataLayout::kBlocked8 && dimensions[1] % 16 == 0;
}

Status PlanInput::make(const Problem& problem, const Dialect& dialect, PlanInput* input) {
  input->problem_ = &problem;
  input->dialect_ = &dialect;
  input->operands_ = operand_shapes(problem);
  if (input->operands_.empty()) return {fmt::format("no problem that can be computed: {}", problem.text())};
  input->result_ = result_dimensions(problem);
  for (const OperandShape& operand : input->operands_) {
    if (Status status = check_size(operand.name, operand.dimensions); !status.ok()) return status;
    input->types_.push_back(type_named(operand.element));
    if (input->types_.back() == DataType::kUndefined) return {fmt::format("oneDNN has no type {}", operand.element)};
  }
  if (Status status = check_size("the result", input->result_); !status.ok()) return status;
  const std::string result_type =
      problem.kind() == "cast" ? std::string(problem.field("to")) : problem.types().destination;
  input->result_type_ = type_named(result_type);
  return input->result_type_ == DataType::kUndefined ? Status{fmt::format("oneDNN has no type {}", result_type)}
                                                     : Status();
}

std::optional<size_t> PlanInput::operand(std::string_view name) const {
  const auto found = std::ranges::find(operands_, name, &OperandShape::name);
  if (found == operands_.end()) return {};
  return static_cast<size_t>(found - operands_.begin());
}

Description PlanInput::described(DataType type, const PlainView& view) const {
  return dialect_->with_strides(type, view.dimensions, view.strides);
}

Description PlanInput::described(DataType type, const Dimensions& dimensions, DataLayout layout) const {
  switch (layout) {
    case DataLayout::kAny:
      return dialect_->with_tag(type, dimensions, kAnyTag);
    case DataLayout::kPlain:
      break;
    case DataLayout::kChannelsLast: {
      if (dimensions.size() < 3) return nullptr;
      PlainView view{dimensions, Dimensions(dimensions.size(), 1)};
      int64_t stride = dimensions[1];
      for (size_t i = dimensions.size(); i-- > 2;) {
        view.strides[i] = stride;
        stride *= dimensions[i];
      }
      view.strides[0] = stride;
      return described(type, view);
    }
    case DataLayout::kBlocked16:
    case DataLayout::kBlocked8: {
      const auto tag = dialect_->blocked_tag(dimensions.size(), layout == DataLayout::kBlocked16 ? 16 : 8);
      return tag ? dialect_->with_tag(type, dimensions, *tag) : nullptr;
    }
  }
  return described(type, row_major(dimensions));
}

}  // namespace xsp::bound::onednn
