#include <fmt/format.h>

#include "bound/shapes/operator_table.h"
#include "bound/shapes/sliding_window.h"

namespace xsp::bound {
namespace {

/// `weights`: the input with them.
Finding convolve(OperatorCall& call, size_t weights) {
  const Dimensions& image = call.shape(0);
  const Dimensions& kernel = call.shape(weights);
  if (image.size() < 3) return wrong_rank("the input", image);
  if (kernel.size() != image.size()) return wrong_rank("the weights", kernel);
  const int64_t groups = call.node().integer("group", 1);
  if (groups < 1 || image[1] % groups != 0 || image[1] / groups != kernel[1] || kernel[0] % groups != 0)
    return Finding::impossible(
        fmt::format("weights {} in {} groups on an input {}", text_of(kernel), groups, text_of(image)));
  SlidingWindow window;
  Finding finding = slide(call.node(), Dimensions(image.begin() + 2, image.end()),
                          Dimensions(kernel.begin() + 2, kernel.end()), &window);
  if (!finding.is_known()) return finding;
  Dimensions shape = {image[0], kernel[0]};
  shape.insert(shape.end(), window.output.begin(), window.output.end());
  call.set_shape(0, std::move(shape));
  return finding;
}

Finding convolution(OperatorCall& call) { return convolve(call, 1); }
Finding quantized_convolution(OperatorCall& call) {
  if (call.node().integer("channels_last", 0) == 0) return convolve(call, 3);
  return Finding::unknown("channels_last is not followed");
}

Finding transposed_convolution(OperatorCall& call) {
  const Dimensions& image = call.shape(0);
  const Dimensions& kernel = call.shape(1);
  if (image.size() < 3) return wrong_rank("the input", image);
  if (kernel.size() != image.size()) return wrong_rank("the weights", kernel);
  const int64_t groups = call.node().integer("group", 1);
  if (groups < 1 || image[1] != kernel[0] || image[1] % groups != 0)
    return Finding::impossible(
        fmt::format("weights {} in {} groups on an input {}", text_of(kernel), groups, text_of(image)));
  SlidingWindow window;
  Finding finding = slide_transposed(call.node(), Dimensions(image.begin() + 2, image.end()),
                                     Dimensions(kernel.begin() + 2, kernel.end()), &window);
  if (!finding.is_known()) return finding;
  int64_t channels = 0;
  if (!multiply_checked(kernel[1], groups, &channels)) return Finding::impossible("too many channels");
  Dimensions shape = {image[0], channels};
  shape.insert(shape.end(), window.output.begin(), window.output.end());
  call.set_shape(0, std::move(shape));
  return finding;
}

/// A convolution of each channel along time that also returns its last inputs.
Finding causal_convolution(OperatorCall& call) {
  if (call.rank(0) != 3) return wrong_rank("the input", call.shape(0));
  if (call.rank(1) != 3) return wrong_rank("the weights", call.shape(1));
  call.set_shape(0, call.shape(0));
  call.set_shape(1, {call.shape(0)[0], call.shape(0)[1], call.shape(1)[2] - 1});
  return Finding::known();
}

constexpr OperatorRule kConvolutionRules[] = {
    {"", "CausalConvWithState", 2, "0", causal_convolution},
    {"", "Conv", 2, "0", convolution},
    {"", "ConvInteger", 2, "i32", convolution},
    {"", "ConvTranspose", 2, "0", transposed_convolution},
    {"", "DeformConv", 2, "0", convolution},
    {"", "QLinearConv", 8, "7", quantized_convolution},
    {"com.microsoft", "FusedConv", 2, "0", convolution},
    {"com.microsoft", "QLinearConv", 8, "7", quantized_convolution},
};

}  // namespace

std::span<const OperatorRule> convolution_rules() { return kConvolutionRules; }

}  // namespace xsp::bound
