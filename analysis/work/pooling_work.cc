#include <cmath>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

/// A window's settings in one dimension; a list of one is for all, an empty stride is the window.
std::optional<int64_t> window_setting(const Arguments& arguments, size_t at, size_t dimension, int64_t usual) {
  if (arguments.values() == 0) return {};
  if (at >= arguments.values() || !arguments.has_value(at)) return usual;
  const auto values = arguments.integers(at);
  if (!values) return {};
  if (values->empty()) return usual;
  if (values->size() == 1) return (*values)[0];
  return dimension < values->size() ? std::optional((*values)[dimension]) : std::nullopt;
}

/// Of PyTorch's pooling(self, kernel_size, stride, padding, …): elements of the output and of a window.
struct Pooled {
  double elements = 1;
  double window = 1;
};

/// `dilation` and `ceil_mode` are places of arguments; 0: none.
std::optional<Pooled> pooled(const Arguments& arguments, size_t spatial, size_t first, size_t dilation,
                             size_t ceil_mode) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr || input->rank() < spatial) return {};
  Pooled result;
  for (size_t i = 0; i + spatial < input->rank(); ++i) result.elements *= static_cast<double>(input->dimensions[i]);
  const bool up = arguments.flag(ceil_mode).value_or(false);
  for (size_t i = 0; i < spatial; ++i) {
    const auto in = static_cast<double>(input->dimension(static_cast<int>(i) - static_cast<int>(spatial)));
    const auto window = window_setting(arguments, first, i, 0);
    if (!window || *window < 1) return {};
    const auto stride = window_setting(arguments, first + 1, i, *window);
    const auto padding = window_setting(arguments, first + 2, i, 0);
    const auto apart = dilation == 0 ? std::optional<int64_t>(1) : window_setting(arguments, dilation, i, 1);
    if (!stride || !padding || !apart || *stride < 1 || *padding < 0 || *apart < 1) return {};
    const double reach = static_cast<double>(*apart) * (static_cast<double>(*window) - 1) + 1;
    const double steps = (in + 2.0 * static_cast<double>(*padding) - reach) / static_cast<double>(*stride);
    double out = (up ? std::ceil(steps) : std::floor(steps)) + 1;
    // The last window must begin inside the input or its left padding.
    if (up && (out - 1) * static_cast<double>(*stride) >= in + static_cast<double>(*padding)) --out;
    if (!(out >= 0)) return {};
    result.elements *= out;
    result.window *= static_cast<double>(*window);
  }
  return result;
}

/// max_pool2d(self, kernel_size, stride, padding, dilation, ceil_mode), with indices where the name says so.
Result max_pool(const Arguments& arguments, double spatial) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr) return {};
  const auto output = pooled(arguments, static_cast<size_t>(spatial), 1, 4, 5);
  const double size = element_bytes(input->element);
  double elements = output ? output->elements : 0;
  if (!output && arguments.gradient() != nullptr) elements = arguments.gradient()->elements;
  auto work = work_of(FormulaId::kMaxPooling, 0, input->bytes(), elements * (size + 8), data_type_of(input->element));
  if (work && elements == 0) work->has_bytes = false;
  return work;
}

/// avg_pool2d(self, kernel_size, stride, padding, ceil_mode, …)
Result average_pool(const Arguments& arguments, double spatial) {
  const TensorShape* input = arguments.input(0);
  const auto output = pooled(arguments, static_cast<size_t>(spatial), 1, 0, 4);
  if (!output) return {};
  return work_of(FormulaId::kAveragePooling, output->elements * output->window, input->bytes(),
                 output->elements * element_bytes(input->element), data_type_of(input->element));
}

/// adaptive_avg_pool2d(self, output_size): every element is added once.
Result adaptive_pool(const Arguments& arguments, double spatial) {
  const TensorShape* input = arguments.input(0);
  const auto count = static_cast<size_t>(spatial);
  if (input == nullptr || input->rank() < count) return {};
  const auto sizes = arguments.integers(1);
  double elements = 1;
  for (size_t i = 0; i + count < input->rank(); ++i) elements *= static_cast<double>(input->dimensions[i]);
  if (sizes && sizes->size() == count) {
    for (const int64_t size : *sizes) elements *= static_cast<double>(size);
  }
  auto work = work_of(FormulaId::kAveragePooling, input->elements, input->bytes(),
                      elements * element_bytes(input->element), data_type_of(input->element));
  if (work && !sizes) work->has_bytes = false;
  return work;
}

/// grad_output, self, …; of a max pooling the indices are an argument too.
Result pooling_backward(const Arguments& arguments, double) {
  const TensorShape* gradient = arguments.input(0);
  const TensorShape* input = arguments.input(1);
  if (gradient == nullptr || input == nullptr) return {};
  double indices = 0;
  for (size_t i = 2; i < arguments.inputs(); ++i) indices += bytes_of(arguments.input(i));
  return work_of(FormulaId::kPoolingBackward, gradient->elements, gradient->bytes() + indices, input->bytes(),
                 data_type_of(gradient->element));
}

/// avg_pool2d_backward(grad_output, self, kernel_size, …)
Result average_backward(const Arguments& arguments, double spatial) {
  const TensorShape* gradient = arguments.input(0);
  const TensorShape* input = arguments.input(1);
  if (gradient == nullptr || input == nullptr) return {};
  double window = 1;
  for (size_t i = 0; i < static_cast<size_t>(spatial); ++i) {
    const auto size = window_setting(arguments, 2, i, 0);
    if (!size || *size < 1) return {};
    window *= static_cast<double>(*size);
  }
  return work_of(FormulaId::kPoolingBackward, window * gradient->elements, gradient->bytes(), input->bytes(),
                 data_type_of(gradient->element));
}

/// ONNX and TensorFlow tell no window: comparisons count nothing, and of global pooling it is all there is.
Result pooling_of_graph(const Arguments& arguments, double flops) {
  const TensorShape* input = arguments.input(0);
  if (input == nullptr) return {};
  const TensorShape* output = arguments.output(0);
  auto work = work_of(flops == 0 ? FormulaId::kMaxPooling : FormulaId::kAveragePooling, flops * input->elements,
                      input->bytes(), bytes_of(output), data_type_of(input->element));
  if (work && output == nullptr) work->has_bytes = false;
  return work;
}

constexpr auto kMax = FormulaId::kMaxPooling;
constexpr auto kAverage = FormulaId::kAveragePooling;
constexpr auto kPoolingBackwardFormula = FormulaId::kPoolingBackward;

constexpr NamedOperator kPoolingOperators[] = {
    {"max_pool1d", kMax, max_pool, 1},
    {"max_pool2d", kMax, max_pool, 2},
    {"max_pool3d", kMax, max_pool, 3},
    {"max_pool1d_with_indices", kMax, max_pool, 1},
    {"max_pool2d_with_indices", kMax, max_pool, 2},
    {"max_pool3d_with_indices", kMax, max_pool, 3},
    {"MaxPool", kMax, pooling_of_graph, 0},
    {"GlobalMaxPool", kMax, pooling_of_graph, 0},
    {"avg_pool1d", kAverage, average_pool, 1},
    {"avg_pool2d", kAverage, average_pool, 2},
    {"avg_pool3d", kAverage, average_pool, 3},
    {"adaptive_avg_pool1d", kAverage, adaptive_pool, 1},
    {"adaptive_avg_pool2d", kAverage, adaptive_pool, 2},
    {"_adaptive_avg_pool2d", kAverage, adaptive_pool, 2},
    {"adaptive_avg_pool3d", kAverage, adaptive_pool, 3},
    {"_adaptive_avg_pool3d", kAverage, adaptive_pool, 3},
    {"GlobalAveragePool", kAverage, pooling_of_graph, 1},
    {"max_pool2d_with_indices_backward", kPoolingBackwardFormula, pooling_backward},
    {"max_pool3d_with_indices_backward", kPoolingBackwardFormula, pooling_backward},
    {"_adaptive_avg_pool2d_backward", kPoolingBackwardFormula, pooling_backward},
    {"_adaptive_avg_pool3d_backward", kPoolingBackwardFormula, pooling_backward},
    {"avg_pool2d_backward", kPoolingBackwardFormula, average_backward, 2},
    {"avg_pool3d_backward", kPoolingBackwardFormula, average_backward, 3},
};

}  // namespace

std::span<const NamedOperator> pooling_operators() { return kPoolingOperators; }

}  // namespace xsp::analysis
