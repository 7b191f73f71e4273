#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

/// Flops of one gradient, which are those of the forward convolution.
double gradient_flops(const TensorShape& gradient, const TensorShape& input, const TensorShape& weight,
                      bool transposed) {
  if (weight.dimension(0) == 0) return 0;
  return 2 * (transposed ? input.elements : gradient.elements) *
         (weight.elements / static_cast<double>(weight.dimension(0)));
}

struct Gradients {
  bool input = true;
  bool weight = true;
  bool bias = false;
};

Result backward(const TensorShape* gradient, const TensorShape* input, const TensorShape* weight, Gradients wanted,
                bool transposed) {
  if (gradient == nullptr || input == nullptr || weight == nullptr || weight->rank() < 3 || weight->dimension(0) == 0)
    return {};
  const double one = gradient_flops(*gradient, *input, *weight, transposed);
  const double bias_elements = wanted.bias && gradient->rank() > 1 ? static_cast<double>(gradient->dimension(1)) : 0;
  const double flops =
      one * (wanted.input ? 1 : 0) + one * (wanted.weight ? 1 : 0) + (wanted.bias ? gradient->elements : 0);
  const double read = gradient->bytes() + (wanted.input ? weight->bytes() : 0) + (wanted.weight ? input->bytes() : 0);
  const double written = (wanted.input ? input->bytes() : 0) + (wanted.weight ? weight->bytes() : 0) +
                         bias_elements * element_bytes(gradient->element);
  return work_of(FormulaId::kConvolutionBackward, flops, read, written, data_type_of(gradient->element));
}

Gradients wanted_gradients(const Arguments& arguments, size_t mask) {
  Gradients wanted;
  if (const auto flags = arguments.flags(mask); flags && flags->size() >= 2) {
    wanted = {.input = (*flags)[0], .weight = (*flags)[1], .bias = flags->size() > 2 && (*flags)[2]};
  }
  return wanted;
}

/// convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
/// groups, output_mask)
Result general_backward(const Arguments& arguments, double) {
  return backward(arguments.input(0), arguments.input(1), arguments.input(2), wanted_gradients(arguments, 10),
                  arguments.flag(7).value_or(false));
}

/// cudnn_convolution_backward(self, grad_output, weight, padding, stride, dilation, groups, benchmark, deterministic,
/// allow_tf32, output_mask); with `transposed` the mask is one later.
Result cudnn_backward(const Arguments& arguments, double transposed) {
  return backward(arguments.input(1), arguments.input(0), arguments.input(2),
                  wanted_gradients(arguments, transposed != 0 ? 11 : 10), transposed != 0);
}

/// A tensor whose sizes alone are an argument.
std::optional<TensorShape> sized(const Arguments& arguments, size_t at, std::string_view element) {
  auto sizes = arguments.integers(at);
  return sizes ? TensorShape::of(element, std::move(*sizes)) : std::nullopt;
}

/// cudnn_convolution_backward_input(self_size, grad_output, weight, …)
Result cudnn_backward_input(const Arguments& arguments, double) {
  const TensorShape* gradient = arguments.input(1);
  if (gradient == nullptr) return {};
  const auto size = sized(arguments, 0, gradient->element);
  const TensorShape* input = size ? &*size : arguments.enclosing_input(0);
  if (input != nullptr) return backward(gradient, input, arguments.input(2), {.input = true, .weight = false}, false);
  // Without the size of what it writes.
  auto work = backward(gradient, gradient, arguments.input(2), {.input = true, .weight = false}, false);
  if (work) work->has_bytes = false;
  return work;
}

/// cudnn_convolution_backward_weight(weight_size, grad_output, self, …): of the enclosing cudnn_convolution_backward
/// the third input is the weight.
Result cudnn_backward_weight(const Arguments& arguments, double) {
  const TensorShape* gradient = arguments.input(1);
  if (gradient == nullptr) return {};
  const auto size = sized(arguments, 0, gradient->element);
  return backward(gradient, arguments.input(2), size ? &*size : arguments.enclosing_input(2),
                  {.input = false, .weight = true}, false);
}

/// Conv2DBackpropInput(input_sizes, filter, out_backprop)
Result tensorflow_backward_input(const Arguments& arguments, double) {
  const TensorShape* filter = arguments.input(1);
  const TensorShape* gradient = arguments.input(2);
  if (filter == nullptr || gradient == nullptr || filter->rank() < 3 || filter->dimension(-1) == 0) return {};
  const TensorShape* output = arguments.output(0);
  auto work = work_of(FormulaId::kConvolutionBackward,
                      2 * gradient->elements * (filter->elements / static_cast<double>(filter->dimension(-1))),
                      filter->bytes() + gradient->bytes(), bytes_of(output), data_type_of(gradient->element));
  if (work && output == nullptr) work->has_bytes = false;
  return work;
}

/// Conv2DBackpropFilter(input, filter_sizes, out_backprop): the output is the filter.
Result tensorflow_backward_filter(const Arguments& arguments, double) {
  const TensorShape* input = arguments.input(0);
  const TensorShape* gradient = arguments.input(2);
  const TensorShape* filter = arguments.output(0);
  if (input == nullptr || gradient == nullptr || filter == nullptr || filter->rank() < 3 || filter->dimension(-1) == 0)
    return {};
  return work_of(FormulaId::kConvolutionBackward,
                 2 * gradient->elements * (filter->elements / static_cast<double>(filter->dimension(-1))),
                 input->bytes() + gradient->bytes(), filter->bytes(), data_type_of(gradient->element));
}

constexpr auto kConvolutionBackwardFormula = FormulaId::kConvolutionBackward;

constexpr NamedOperator kConvolutionGradientOperators[] = {
    {"convolution_backward", kConvolutionBackwardFormula, general_backward},
    {"convolution_backward_overrideable", kConvolutionBackwardFormula, general_backward},
    {"cudnn_convolution_backward", kConvolutionBackwardFormula, cudnn_backward, 0},
    {"cudnn_convolution_transpose_backward", kConvolutionBackwardFormula, cudnn_backward, 1},
    {"cudnn_convolution_backward_input", kConvolutionBackwardFormula, cudnn_backward_input},
    {"cudnn_convolution_backward_weight", kConvolutionBackwardFormula, cudnn_backward_weight},
    {"Conv2DBackpropInput", kConvolutionBackwardFormula, tensorflow_backward_input},
    {"Conv3DBackpropInputV2", kConvolutionBackwardFormula, tensorflow_backward_input},
    {"Conv2DBackpropFilter", kConvolutionBackwardFormula, tensorflow_backward_filter},
    {"Conv3DBackpropFilterV2", kConvolutionBackwardFormula, tensorflow_backward_filter},
};

}  // namespace

std::span<const NamedOperator> convolution_gradient_operators() { return kConvolutionGradientOperators; }

}  // namespace xsp::analysis
