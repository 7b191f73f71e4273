#include "bound/model/fused_activation.h"

#include <algorithm>

#include "bound/problems/post_steps.h"

namespace xsp::bound {
namespace {

struct Activation {
  std::string_view name;
  std::string_view alg;
  size_t parameters;
};
constexpr Activation kActivations[] = {
    {"Relu", "relu", 0},           {"Tanh", "tanh", 0},
    {"Sigmoid", "sigmoid", 0},     {"LeakyRelu", "leaky_relu", 1},
    {"Clip", "clip", 2},           {"HardSigmoid", "hardsigmoid", 2},
    {"HardSwish", "hardswish", 0},
};

}  // namespace

std::optional<std::string> fused_activation(const Node& node) {
  const std::string name = node.text("activation", "");
  if (name.empty()) return "";
  const auto* const found = std::ranges::find(kActivations, name, &Activation::name);
  if (found == std::end(kActivations)) return {};
  const Attribute* const attribute = node.attribute("activation_params");
  // FusedGemm has them one by one.
  const std::vector<double> given = attribute != nullptr ? attribute->numbers
                                                         : std::vector<double>{node.number("activation_alpha", 0.01),
                                                                               node.number("activation_beta", 0)};
  if (given.size() < found->parameters) return {};
  PostStep step{std::string(found->alg)};
  step.arguments = found->parameters;
  if (found->parameters > 0) step.alpha = given[0];
  if (found->parameters > 1) step.beta = given[1];
  return text_of(step);
}

}  // namespace xsp::bound
