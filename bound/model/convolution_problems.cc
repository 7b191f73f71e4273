#include "bound/model/fused_activation.h"
#include "bound/model/node_problem.h"
#include "bound/shapes/sliding_window.h"

namespace xsp::bound {
namespace {

using Made = std::optional<NodeProblem>;

/// Where a node has its operands.
struct ConvolutionInputs {
  size_t source = 0;
  size_t weight = 1;
  std::optional<size_t> bias = 2;
  std::optional<size_t> added = {};
};

/// Sizes behind batch and channels.
Dimensions image_of(const ValueFacts& facts) {
  return Dimensions(facts.dimensions.begin() + 2, facts.dimensions.end());
}

bool are_images(const NodeView& view, const ConvolutionInputs& inputs) {
  if (!view.has_shape(inputs.source) || !view.has_shape(inputs.weight) || view.output(0) == nullptr) return false;
  const size_t rank = view.input(inputs.source)->dimensions.size();
  return rank >= 3 && view.input(inputs.weight)->dimensions.size() == rank;
}

bool has_bias(const NodeView& view, const ConvolutionInputs& inputs) {
  return inputs.bias && view.input(*inputs.bias) != nullptr;
}

/// The fields up to the paddings and dilations, which both directions share.
Problem windowed_problem(std::string_view kind, const NodeView& view, const ConvolutionInputs& inputs,
                         const SlidingWindow& window) {
  Problem problem{std::string(kind)};
  problem.set_dimensions("src", view.input(inputs.source)->dimensions);
  problem.set_dimensions("wei", view.input(inputs.weight)->dimensions);
  problem.set_dimensions("strides", window.strides).set_list("pads", window.pads);
  problem.set_dimensions("dil", window.dilations);
  return problem;
}

NodeProblem with_rest(Problem problem, const NodeView& view, const ConvolutionInputs& inputs, std::string_view post) {
  problem.set_integer("groups", view.node().integer("group", 1)).set_integer("bias", has_bias(view, inputs) ? 1 : 0);
  problem.set("post", post);
  problem.set("dtype", types_text(*view.input(inputs.source), *view.input(inputs.weight), *view.output(0)));
  NodeProblem made{std::move(problem), {inputs.source, inputs.weight}};
  if (has_bias(view, inputs)) made.operands.push_back(*inputs.bias);
  if (inputs.added) made.operands.push_back(*inputs.added);
  return made;
}

Made convolution(const NodeView& view, const ConvolutionInputs& inputs, std::string_view post) {
  if (!are_images(view, inputs)) return {};
  SlidingWindow window;
  if (!slide(view.node(), image_of(*view.input(inputs.source)), image_of(*view.input(inputs.weight)), &window)
           .is_known())
    return {};
  return with_rest(windowed_problem("conv", view, inputs, window), view, inputs, post);
}

Made plain_convolution(const NodeView& view, std::string_view) { return convolution(view, {}, ""); }

/// X, W, B, Z: Z is added before the activation.
Made fused_convolution(const NodeView& view, std::string_view) {
  const auto activation = fused_activation(view.node());
  if (!activation) return {};
  if (view.input(3) == nullptr) return convolution(view, {}, *activation);
  if (!view.has_shape(3) || view.output(0) == nullptr || view.input(3)->dimensions != view.output(0)->dimensions)
    return {};
  return convolution(view, {.added = 3}, activation->empty() ? "add" : "add+" + *activation);
}

/// x, its scale and zero point, w, its scale and zero point, y's scale and zero point, bias.
Made quantized_convolution(const NodeView& view, std::string_view) {
  return convolution(view, {.weight = 3, .bias = 8}, "");
}

Made integer_convolution(const NodeView& view, std::string_view) { return convolution(view, {.bias = {}}, ""); }

Made transposed_convolution(const NodeView& view, std::string_view) {
  const ConvolutionInputs inputs;
  if (!are_images(view, inputs)) return {};
  SlidingWindow window;
  if (!slide_transposed(view.node(), image_of(*view.input(0)), image_of(*view.input(1)), &window).is_known()) return {};
  // Paddings that add to the result instead of taking from it.
  for (const int64_t pad : window.pads) {
    if (pad < 0) return {};
  }
  Problem problem = windowed_problem("deconv", view, inputs, window);
  problem.set_dimensions("outpad", window.output_padding);
  return with_rest(std::move(problem), view, inputs, "");
}

constexpr ProblemRule kConvolutionProblems[] = {
    {"", "Conv", plain_convolution},
    {"", "ConvInteger", integer_convolution},
    {"", "ConvTranspose", transposed_convolution},
    {"", "QLinearConv", quantized_convolution},
    {"com.microsoft", "FusedConv", fused_convolution},
};

}  // namespace

std::span<const ProblemRule> convolution_problems() { return kConvolutionProblems; }

}  // namespace xsp::bound
