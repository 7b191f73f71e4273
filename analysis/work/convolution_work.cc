#include <cmath>

#include "analysis/work/operator_table.h"

namespace xsp::analysis {
namespace {

using Arguments = OperatorArguments;
using Result = std::optional<Work>;

/// Where PyTorch's convolutions have their arguments.
struct ConvolutionForm {
  int bias = kNoArgument;
  int stride = kNoArgument;
  int padding = kNoArgument;
  int dilation = kNoArgument;
  int transposed = kNoArgument;
  int output_padding = kNoArgument;
  int groups = kNoArgument;  // needed for transposed ones only
  bool is_transposed = false;
  int addend = kNoArgument;  // added to the result
};

enum ConvolutionFormNumber {
  kPublicConvolution,
  kGeneral,
  kCudnnConvolution,
  kBiasPaddingFirst,
  kKernelSize,
  kRelu,
  kAddRelu,
  kPublicTransposed,
  kCudnnTransposed
};

constexpr ConvolutionForm kConvolutionForms[] = {
    // conv2d(input, weight, bias, stride, padding, dilation, groups)
    {.bias = 2, .stride = 3, .padding = 4, .dilation = 5},
    // convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, …)
    {.bias = 2, .stride = 3, .padding = 4, .dilation = 5, .transposed = 6, .output_padding = 7, .groups = 8},
    // cudnn_convolution(self, weight, padding, stride, dilation, groups, …)
    {.stride = 3, .padding = 2, .dilation = 4},
    // miopen_convolution, mkldnn_convolution(self, weight, bias, padding, stride, dilation, groups, …)
    {.bias = 2, .stride = 4, .padding = 3, .dilation = 5},
    // _conv_depthwise2d, slow_conv_dilated2d(self, weight, kernel_size, bias, stride, padding, dilation)
    {.bias = 3, .stride = 4, .padding = 5, .dilation = 6},
    // cudnn_convolution_relu(self, weight, bias, stride, padding, dilation, groups)
    {.bias = 2, .stride = 3, .padding = 4, .dilation = 5},
    // cudnn_convolution_add_relu(self, weight, z, alpha, bias, stride, padding, dilation, groups)
    {.bias = 4, .stride = 5, .padding = 6, .dilation = 7, .addend = 2},
    // conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)
    {.bias = 2, .stride = 3, .padding = 4, .dilation = 7, .output_padding = 5, .groups = 6, .is_transposed = true},
    // cudnn_convolution_transpose(self, weight, padding, output_padding, stride, dilation, groups, …)
    {.stride = 4, .padding = 2, .dilation = 5, .output_padding = 3, .groups = 6, .is_transposed = true},
};

/// A setting of one dimension; a list of one is for all. Nothing where the tool did not tell any settings.
std::optional<int64_t> setting(const Arguments& arguments, int at, size_t dimension, int64_t usual) {
  if (arguments.values() == 0) return {};
  if (at == kNoArgument || static_cast<size_t>(at) >= arguments.values()) return usual;
  const auto values = arguments.integers(static_cast<size_t>(at));
  if (!values || values->empty()) return {};
  return values->size() == 1          ? (*values)[0]
         : dimension < values->size() ? std::optional((*values)[dimension])
                                      : std::nullopt;
}

/// Elements of the output; nothing where the settings are not known.
std::optional<double> output_elements(const Arguments& arguments, const ConvolutionForm& form, bool transposed,
                                      const TensorShape& input, const TensorShape& weight, double output_channels) {
  const size_t spatial = weight.rank() - 2;
  const bool has_batch = input.rank() == weight.rank();
  double elements = output_channels * (has_batch ? static_cast<double>(input.dimension(0)) : 1);
  const std::string_view padding_text =
      form.padding == kNoArgument ? std::string_view() : arguments.value(static_cast<size_t>(form.padding));
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t in = input.dimension(static_cast<int>(i) - static_cast<int>(spatial));
    const int64_t window = weight.dimension(static_cast<int>(i) + 2);
    const auto stride = setting(arguments, form.stride, i, 1);
    const auto dilation = setting(arguments, form.dilation, i, 1);
    if (!stride || !dilation || *stride < 1 || *dilation < 1) return {};
    const double reach = static_cast<double>(*dilation) * (static_cast<double>(window) - 1) + 1;
    double out = 0;
    if (padding_text == "same") {
      out = static_cast<double>(in);
    } else {
      const auto padding = padding_text == "valid" ? std::optional<int64_t>(0) : setting(arguments, form.padding, i, 0);
      if (!padding || *padding < 0) return {};
      const double around = 2.0 * static_cast<double>(*padding);
      if (transposed) {
        const auto extra = setting(arguments, form.output_padding, i, 0);
        if (!extra) return {};
        out =
            (static_cast<double>(in) - 1) * static_cast<double>(*stride) - around + reach + static_cast<double>(*extra);
      } else {
        out = std::floor((static_cast<double>(in) + around - reach) / static_cast<double>(*stride)) + 1;
      }
    }
    if (!(out >= 0)) return {};
    elements *= out;
  }
  return elements;
}

/// PyTorch's forward convolutions; `parameter` is the number of the form.
Result convolution(const Arguments& arguments, double parameter) {
  const ConvolutionForm& form = kConvolutionForms[static_cast<size_t>(parameter)];
  const TensorShape* input = arguments.input(0);
  const TensorShape* weight = arguments.input(1);
  if (input == nullptr || weight == nullptr || weight->rank() < 3 || weight->dimension(0) == 0) return {};
  if (input->rank() != weight->rank() && input->rank() + 1 != weight->rank()) return {};
  const bool transposed = form.transposed == kNoArgument
                              ? form.is_transposed
                              : arguments.flag(static_cast<size_t>(form.transposed)).value_or(false);
  const TensorShape* bias = form.bias == kNoArgument ? nullptr : arguments.input(static_cast<size_t>(form.bias));
  const TensorShape* addend = form.addend == kNoArgument ? nullptr : arguments.input(static_cast<size_t>(form.addend));
  const double first = static_cast<double>(weight->dimension(0));

  std::optional<double> output;
  if (arguments.output(0) != nullptr) output = arguments.output(0)->elements;
  if (!output && !transposed) output = output_elements(arguments, form, false, *input, *weight, first);
  if (!output && transposed) {  // the weight is [C, K/g, R, S]
    if (const auto groups = setting(arguments, form.groups, 0, 1)) {
      output = output_elements(arguments, form, true, *input, *weight,
                               static_cast<double>(weight->dimension(1)) * static_cast<double>(*groups));
    }
  }
  if (!output && arguments.gradient() != nullptr) output = arguments.gradient()->elements;

  const double read = input->bytes() + weight->bytes() + bytes_of(bias) + bytes_of(addend);
  const double products = transposed ? input->elements * (weight->elements / first) : 0;
  if (transposed) {
    auto work = work_of(FormulaId::kTransposedConvolution, 2 * products + (bias == nullptr ? 0 : output.value_or(0)),
                        read, output.value_or(0) * element_bytes(input->element), data_type_of(input->element));
    if (work && !output) work->has_bytes = false;
    return work;
  }
  if (!output) return {};
  const double added = (bias == nullptr ? 0 : *output) + (addend == nullptr ? 0 : *output);
  return work_of(FormulaId::kConvolution,
                 2 * *output * (weight->elements / first) * complex_factor(input->element) + added, read,
                 *output * element_bytes(input->element), data_type_of(input->element));
}

/// X, W, then a bias: the output is known, and the weight is [K, C/g, …].
Result onnx_convolution(const Arguments& arguments, double form) {
  const bool is_quantized = form == 3;  // x, scale, zero point, w, scale, zero point, y scale, y zero point, bias
  const TensorShape* input = arguments.input(0);
  const TensorShape* weight = arguments.input(is_quantized ? 3 : 1);
  const TensorShape* output = arguments.output(0);
  if (input == nullptr || weight == nullptr || output == nullptr || weight->rank() < 3 || weight->dimension(0) == 0)
    return {};
  // ConvInteger has zero points where others have the bias.
  const TensorShape* bias = form == 2 ? nullptr : arguments.input(is_quantized ? 8 : 2);
  double read = 0;
  for (size_t i = 0; i < arguments.inputs(); ++i) read += bytes_of(arguments.input(i));
  const double per_output = weight->elements / static_cast<double>(weight->dimension(0));
  const bool is_byte = input->element == "i8" || input->element == "u8";
  const bool has_addend = form == 1 && arguments.input(3) != nullptr;
  return work_of(FormulaId::kConvolution,
                 2 * output->elements * per_output + (bias == nullptr ? 0 : output->elements) +
                     (has_addend ? output->elements : 0),
                 read, output->bytes(), is_byte ? DataType::kI8Tensor : data_type_of(input->element));
}

/// X [N, C, …], W [C, K/g, …].
Result onnx_transposed(const Arguments& arguments, double) {
  const TensorShape* input = arguments.input(0);
  const TensorShape* weight = arguments.input(1);
  const TensorShape* output = arguments.output(0);
  if (input == nullptr || weight == nullptr || weight->rank() < 3 || weight->dimension(0) == 0) return {};
  const TensorShape* bias = arguments.input(2);
  auto work =
      work_of(FormulaId::kTransposedConvolution,
              2 * input->elements * (weight->elements / static_cast<double>(weight->dimension(0))) +
                  (bias == nullptr ? 0 : elements_of(output)),
              input->bytes() + weight->bytes() + bytes_of(bias), bytes_of(output), data_type_of(input->element));
  if (work && output == nullptr) work->has_bytes = false;
  return work;
}

/// TensorFlow: the filter is [R, S, C/g, K], whatever the layout of the images.
Result tensorflow_convolution(const Arguments& arguments, double) {
  const TensorShape* input = arguments.input(0);
  const TensorShape* filter = arguments.input(1);
  const TensorShape* output = arguments.output(0);
  if (input == nullptr || filter == nullptr || output == nullptr || filter->rank() < 3 || filter->dimension(-1) == 0)
    return {};
  const TensorShape* bias = arguments.input(2);
  return work_of(FormulaId::kConvolution,
                 2 * output->elements * (filter->elements / static_cast<double>(filter->dimension(-1))) +
                     (bias == nullptr ? 0 : output->elements),
                 input->bytes() + filter->bytes() + bytes_of(bias), output->bytes(), data_type_of(input->element));
}

/// The filter is [R, S, C, multiplier].
Result tensorflow_depthwise(const Arguments& arguments, double) {
  const TensorShape* input = arguments.input(0);
  const TensorShape* filter = arguments.input(1);
  const TensorShape* output = arguments.output(0);
  if (input == nullptr || filter == nullptr || output == nullptr || filter->rank() != 4) return {};
  const double window = static_cast<double>(filter->dimension(0)) * static_cast<double>(filter->dimension(1));
  return work_of(FormulaId::kConvolution, 2 * output->elements * window, input->bytes() + filter->bytes(),
                 output->bytes(), data_type_of(input->element));
}

constexpr auto kConvolutionFormula = FormulaId::kConvolution;
constexpr auto kTransposed = FormulaId::kTransposedConvolution;

constexpr NamedOperator kConvolutionOperators[] = {
    {"conv1d", kConvolutionFormula, convolution, kPublicConvolution},
    {"conv2d", kConvolutionFormula, convolution, kPublicConvolution},
    {"conv3d", kConvolutionFormula, convolution, kPublicConvolution},
    {"convolution", kConvolutionFormula, convolution, kGeneral},
    {"_convolution", kConvolutionFormula, convolution, kGeneral},
    {"convolution_overrideable", kConvolutionFormula, convolution, kGeneral},
    {"cudnn_convolution", kConvolutionFormula, convolution, kCudnnConvolution},
    {"cudnn_convolution_relu", kConvolutionFormula, convolution, kRelu},
    {"cudnn_convolution_add_relu", kConvolutionFormula, convolution, kAddRelu},
    {"miopen_convolution", kConvolutionFormula, convolution, kBiasPaddingFirst},
    {"mkldnn_convolution", kConvolutionFormula, convolution, kBiasPaddingFirst},
    {"_conv_depthwise2d", kConvolutionFormula, convolution, kKernelSize},
    {"conv_depthwise3d", kConvolutionFormula, convolution, kKernelSize},
    {"slow_conv_dilated2d", kConvolutionFormula, convolution, kKernelSize},
    {"slow_conv_dilated3d", kConvolutionFormula, convolution, kKernelSize},
    {"thnn_conv2d", kConvolutionFormula, convolution, kKernelSize},
    {"_slow_conv2d_forward", kConvolutionFormula, convolution, kKernelSize},
    {"slow_conv3d_forward", kConvolutionFormula, convolution, kKernelSize},
    {"Conv", kConvolutionFormula, onnx_convolution, 0},
    {"FusedConv", kConvolutionFormula, onnx_convolution, 1},
    {"NhwcFusedConv", kConvolutionFormula, onnx_convolution, 1},
    {"ConvInteger", kConvolutionFormula, onnx_convolution, 2},
    {"QLinearConv", kConvolutionFormula, onnx_convolution, 3},
    {"Conv2D", kConvolutionFormula, tensorflow_convolution},
    {"Conv3D", kConvolutionFormula, tensorflow_convolution},
    {"_FusedConv2D", kConvolutionFormula, tensorflow_convolution},
    {"DepthwiseConv2dNative", kConvolutionFormula, tensorflow_depthwise},
    {"conv_transpose1d", kTransposed, convolution, kPublicTransposed},
    {"conv_transpose2d", kTransposed, convolution, kPublicTransposed},
    {"conv_transpose3d", kTransposed, convolution, kPublicTransposed},
    {"cudnn_convolution_transpose", kTransposed, convolution, kCudnnTransposed},
    {"ConvTranspose", kTransposed, onnx_transposed},
};

}  // namespace

std::span<const NamedOperator> convolution_operators() { return kConvolutionOperators; }

}  // namespace xsp::analysis
