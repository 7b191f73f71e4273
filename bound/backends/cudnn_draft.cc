#include "bound/backends/cudnn_draft.h"

#include <fmt/format.h>

#include <algorithm>

namespace xsp::bound::cudnn {

Draft::Draft(const ProblemInput& input, DataLayout layout, std::string form) : input_(input), layout_(layout) {
  graph_.form = std::move(form);
  graph_.layout = name_of(layout);
}

TensorId Draft::add_tensor(GraphTensor tensor) {
  graph_.tensors.push_back(std::move(tensor));
  return {graph_.tensors.size() - 1};
}

TensorId Draft::operand(size_t operand, Dimensions dimensions) {
  GraphTensor tensor{.role = GraphTensor::Role::kOperand, .element = input_.element_of(operand), .operand = operand};
  tensor.strides = strides_of(dimensions, layout_);
  tensor.plain_strides = strides_of(dimensions, DataLayout::kPlain);
  tensor.dimensions = std::move(dimensions);
  return add_tensor(std::move(tensor));
}

TensorId Draft::view(size_t operand, Dimensions dimensions, Dimensions strides) {
  GraphTensor tensor{.role = GraphTensor::Role::kOperand, .element = input_.element_of(operand), .operand = operand};
  tensor.dimensions = std::move(dimensions);
  tensor.plain_strides = strides;
  tensor.strides = std::move(strides);
  return add_tensor(std::move(tensor));
}

TensorId Draft::prepared(Dimensions dimensions, PreparedValues values) {
  GraphTensor tensor{.role = GraphTensor::Role::kPrepared, .element = input_.inner_element()};
  tensor.strides = strides_of(dimensions, layout_);
  tensor.plain_strides = strides_of(dimensions, DataLayout::kPlain);
  tensor.dimensions = std::move(dimensions);
  tensor.prepared = std::move(values);
  return add_tensor(std::move(tensor));
}

TensorId Draft::scalar(double value, size_t rank) {
  GraphTensor tensor{.role = GraphTensor::Role::kScalar, .element = input_.inner_element()};
  tensor.dimensions.assign(rank, 1);
  tensor.strides.assign(rank, 1);
  tensor.scalar = value;
  return add_tensor(std::move(tensor));
}

TensorId Draft::inner(Dimensions dimensions) {
  GraphTensor tensor{.element = input_.inner_element()};
  tensor.strides = strides_of(dimensions, layout_);
  tensor.dimensions = std::move(dimensions);
  return add_tensor(std::move(tensor));
}

TensorId Draft::add(Description operation, AttributeName output, Dimensions dimensions) {
  const TensorId result = inner(std::move(dimensions));
  operation.attributes.emplace_back(output, std::vector{result});
  graph_.operations.push_back(std::move(operation));
  return result;
}

Enumerator Draft::compute_type() const { return {CUDNN_TYPE_DATA_TYPE, *cudnn_type_of(input_.inner_element())}; }

Enumerator Draft::sum_type(TensorId source) const {
  if (!is_integer(graph_.tensors[source.index].element)) return compute_type();
  return {CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_INT32};
}

TensorId Draft::unary(PointwiseMode mode, TensorId source, Options options) {
  Description pointwise{CUDNN_BACKEND_POINTWISE_DESCRIPTOR,
                        {{CUDNN_ATTR_POINTWISE_MODE, Enumerator{CUDNN_TYPE_POINTWISE_MODE, mode}},
                         {CUDNN_ATTR_POINTWISE_MATH_PREC, compute_type()}}};
  for (const auto& [name, value] : options) pointwise.attributes.emplace_back(name, Real{CUDNN_TYPE_DOUBLE, value});
  return add(
      {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
       {{CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, std::make_shared<const Description>(std::move(pointwise))},
        {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, std::vector{source}}}},
      CUDNN_ATTR_OPERATION_POINTWISE_YDESC, dimensions_of(source));
}

TensorId Draft::binary(PointwiseMode mode, TensorId first, TensorId second) {
  Description pointwise{CUDNN_BACKEND_POINTWISE_DESCRIPTOR,
                        {{CUDNN_ATTR_POINTWISE_MODE, Enumerator{CUDNN_TYPE_POINTWISE_MODE, mode}},
                         {CUDNN_ATTR_POINTWISE_MATH_PREC, compute_type()}}};
  Dimensions dimensions = dimensions_of(first);
  for (size_t i = 0; i < dimensions.size(); ++i) dimensions[i] = std::max(dimensions[i], dimensions_of(second)[i]);
  return add(
      {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
       {{CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, std::make_shared<const Description>(std::move(pointwise))},
        {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, std::vector{first}},
        {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, std::vector{second}}}},
      CUDNN_ATTR_OPERATION_POINTWISE_YDESC, std::move(dimensions));
}

TensorId Draft::binary(PointwiseMode mode, TensorId first, double second) {
  return binary(mode, first, scalar(second, dimensions_of(first).size()));
}

TensorId Draft::reduce(ReduceOperator mode, TensorId source, Dimensions dimensions) {
  Description reduction{CUDNN_BACKEND_REDUCTION_DESCRIPTOR,
                        {{CUDNN_ATTR_REDUCTION_OPERATOR, Enumerator{CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, mode}},
                         {CUDNN_ATTR_REDUCTION_COMP_TYPE, compute_type()}}};
  return add({CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
              {{CUDNN_ATTR_OPERATION_REDUCTION_DESC, std::make_shared<const Description>(std::move(reduction))},
               {CUDNN_ATTR_OPERATION_REDUCTION_XDESC, std::vector{source}}}},
             CUDNN_ATTR_OPERATION_REDUCTION_YDESC, std::move(dimensions));
}

TensorId Draft::product(TensorId first, TensorId second, Dimensions dimensions) {
  Description product{CUDNN_BACKEND_MATMUL_DESCRIPTOR, {{CUDNN_ATTR_MATMUL_COMP_TYPE, sum_type(first)}}};
  return add({CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
              {{CUDNN_ATTR_OPERATION_MATMUL_DESC, std::make_shared<const Description>(std::move(product))},
               {CUDNN_ATTR_OPERATION_MATMUL_ADESC, std::vector{first}},
               {CUDNN_ATTR_OPERATION_MATMUL_BDESC, std::vector{second}}}},
             CUDNN_ATTR_OPERATION_MATMUL_CDESC, std::move(dimensions));
}

Status Draft::apply_post(TensorId* tensor) {
  size_t added = 0;
  for (const PostStep& step : post_steps(input_.problem().field("post"))) {
    if (!step.is_add()) {
      if (Status status = apply(step, tensor); !status.ok()) return status;
      continue;
    }
    const auto addend = input_.operand(added == 0 ? "add" : fmt::format("add.{}", added));
    if (!addend) return {"a problem whose addend has no operand", ""};
    *tensor = binary(CUDNN_POINTWISE_ADD, *tensor, operand(*addend, dimensions_of(*tensor)));
    ++added;
  }
  return {};
}

Graph Draft::finish(TensorId tensor, Dimensions plain_strides) && {
  GraphTensor& result = graph_.tensors[tensor.index];
  result.role = GraphTensor::Role::kResult;
  result.element = input_.result_element();
  result.plain_strides =
      plain_strides.empty() ? strides_of(result.dimensions, DataLayout::kPlain) : std::move(plain_strides);
  return std::move(graph_);
}

std::vector<DataLayout> layouts_for(const Dimensions& dimensions) {
  const bool has_images = dimensions.size() >= 3;
  if (!has_images) return {DataLayout::kPlain};
  return {DataLayout::kPlain, DataLayout::kChannelsLast};
}

Dimensions image_dimensions(const Dimensions& dimensions) {
  Dimensions image = dimensions;
  while (image.size() < 4) image.insert(image.begin() + std::min<std::ptrdiff_t>(2, std::ssize(image)), 1);
  return image;
}

Window image_window(Window window) {
  if (window.rank() != 1) return window;
  window.kernel.insert(window.kernel.begin(), 1);
  window.strides.insert(window.strides.begin(), 1);
  window.dilations.insert(window.dilations.begin(), 1);
  window.pads_begin.insert(window.pads_begin.begin(), 0);
  window.pads_end.insert(window.pads_end.begin(), 0);
  return window;
}

}  // namespace xsp::bound::cudnn
