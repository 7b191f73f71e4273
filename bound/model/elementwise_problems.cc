#include <algorithm>
#include <limits>

#include "bound/model/node_problem.h"

namespace xsp::bound {
namespace {

using Made = std::optional<NodeProblem>;

Made elementwise(const NodeView& view, std::string_view alg, double alpha, double beta) {
  if (!view.have_one_type({0})) return {};
  NodeProblem made{Problem("eltwise"), {0}};
  made.problem.set("alg", alg).set_dimensions("src", view.input(0)->dimensions);
  made.problem.set_number("alpha", alpha).set_number("beta", beta).set("dtype", name_of(view.input(0)->element));
  return made;
}

Made without_bounds(const NodeView& view, std::string_view alg) { return elementwise(view, alg, 0, 0); }

/// Slopes and offsets that are attributes, with the values that the published schema gives them.
struct Slopes {
  std::string_view type;
  double alpha;
  std::string_view second;  // attribute that is beta
  double beta = 0;
};
constexpr Slopes kSlopes[] = {
    {"Elu", 1, ""},
    {"HardSigmoid", static_cast<double>(0.2F), "beta", 0.5},
    {"LeakyRelu", static_cast<double>(0.01F), ""},
    {"QuickGelu", static_cast<double>(1.702F), ""},
    {"Selu", static_cast<double>(1.67326319217681884765625F), "gamma", static_cast<double>(1.05070102214813232421875F)},
    {"Swish", 1, ""},
};

Made with_slopes(const NodeView& view, std::string_view alg) {
  const auto* const slopes = std::ranges::find(kSlopes, view.node().type, &Slopes::type);
  if (slopes == std::end(kSlopes)) return {};
  const double beta = slopes->second.empty() ? 0 : view.node().number(slopes->second, slopes->beta);
  return elementwise(view, alg, view.node().number("alpha", slopes->alpha), beta);
}

/// Attributes before version 11, inputs since then. What is left out, or the largest number there is, bounds nothing.
Made clip(const NodeView& view, std::string_view) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  double low = view.node().number("min", -kInfinity);
  double high = view.node().number("max", kInfinity);
  if (view.opset() >= 11) {
    const auto least = view.number(1);
    const auto most = view.number(2);
    if ((view.input(1) != nullptr && !least) || (view.input(2) != nullptr && !most)) return {};
    low = least.value_or(-kInfinity);
    high = most.value_or(kInfinity);
  }
  if (low <= -kLargest) low = -kInfinity;
  if (high >= kLargest) high = kInfinity;
  if (low == 0 && high == kInfinity) return elementwise(view, "relu", 0, 0);
  return elementwise(view, "clip", low, high);
}

Made gelu(const NodeView& view, std::string_view) {
  return elementwise(view, view.node().text("approximate", "none") == "tanh" ? "gelu_tanh" : "gelu_erf", 0, 0);
}

/// Powers that are functions of their own; of others the exponent is an operand like any other.
struct KnownPower {
  double exponent;
  std::string_view alg;
};
constexpr KnownPower kKnownPowers[] = {{2, "square"}, {0.5, "sqrt"}, {-1, "reciprocal"}};

Made binary(const NodeView& view, std::string_view alg, std::string_view post) {
  if (view.inputs() != 2 || !view.have_one_type({0, 1})) return {};
  NodeProblem made{Problem("binary"), {0, 1}};
  made.problem.set("alg", alg).set_dimensions("src0", view.input(0)->dimensions);
  made.problem.set_dimensions("src1", view.input(1)->dimensions);
  if (!post.empty()) made.problem.set("post", post);
  made.problem.set("dtype", name_of(view.output(0)->element));
  return made;
}

Made two_operands(const NodeView& view, std::string_view alg) { return binary(view, alg, ""); }

Made product_of_elements(const NodeView& view, std::string_view alg) {
  if (view.inputs() != 2 || view.node().inputs[0] != view.node().inputs[1]) return binary(view, alg, "");
  auto made = elementwise(view, "square", 0, 0);
  if (made) made->is_operand_repeated = true;
  return made;
}

Made power(const NodeView& view, std::string_view alg) {
  const auto exponent = view.number(1);
  if (!exponent || view.input(1)->elements() != 1 || !view.has_shape(0) ||
      view.input(1)->dimensions.size() > view.input(0)->dimensions.size())
    return binary(view, alg, "");
  const auto* const known = std::ranges::find(kKnownPowers, *exponent, &KnownPower::exponent);
  // The text of the general form has the exponent, on which the time depends.
  return known == std::end(kKnownPowers) ? std::nullopt : elementwise(view, known->alg, 0, 0);
}

/// ONNX Runtime's GELU of a sum; without a bias that of the input.
Made gelu_of_sum(const NodeView& view, std::string_view alg) {
  return view.input(1) == nullptr ? elementwise(view, alg, 0, 0) : binary(view, "add", alg);
}

constexpr ProblemRule kElementwiseProblems[] = {
    {"", "Abs", without_bounds, "abs"},
    {"", "Ceil", without_bounds, "ceil"},
    {"", "Clip", clip},
    {"", "Cos", without_bounds, "cos"},
    {"", "Elu", with_slopes, "elu"},
    {"", "Erf", without_bounds, "erf"},
    {"", "Exp", without_bounds, "exp"},
    {"", "Floor", without_bounds, "floor"},
    {"", "Gelu", gelu},
    {"", "HardSigmoid", with_slopes, "hardsigmoid"},
    {"", "HardSwish", without_bounds, "hardswish"},
    {"", "LeakyRelu", with_slopes, "leaky_relu"},
    {"", "Log", without_bounds, "log"},
    {"", "Mish", without_bounds, "mish"},
    {"", "Neg", without_bounds, "neg"},
    {"", "Reciprocal", without_bounds, "reciprocal"},
    {"", "Relu", without_bounds, "relu"},
    {"", "Round", without_bounds, "round"},
    {"", "Selu", with_slopes, "selu"},
    {"", "Sigmoid", without_bounds, "sigmoid"},
    {"", "Sin", without_bounds, "sin"},
    {"", "Softplus", without_bounds, "softplus"},
    {"", "Sqrt", without_bounds, "sqrt"},
    {"", "Swish", with_slopes, "silu"},
    {"", "Tanh", without_bounds, "tanh"},
    {"com.microsoft", "Gelu", without_bounds, "gelu_erf"},
    {"com.microsoft", "QuickGelu", with_slopes, "silu"},
};

constexpr ProblemRule kBinaryProblems[] = {
    {"", "Add", two_operands, "add"},
    {"", "Div", two_operands, "div"},
    {"", "Max", two_operands, "max"},
    {"", "Min", two_operands, "min"},
    {"", "Mul", product_of_elements, "mul"},
    {"", "Pow", power, "pow"},
    {"", "Sub", two_operands, "sub"},
    {"", "Sum", two_operands, "add"},
    {"com.microsoft", "BiasGelu", gelu_of_sum, "gelu_erf"},
    {"com.microsoft", "FastGelu", gelu_of_sum, "gelu_tanh"},
};

}  // namespace

std::span<const ProblemRule> elementwise_problems() { return kElementwiseProblems; }

std::span<const ProblemRule> binary_problems() { return kBinaryProblems; }

}  // namespace xsp::bound
