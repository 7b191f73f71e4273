#include <algorithm>
#include <array>

#include "bound/model/node_problem.h"
#include "bound/problems/plain_values.h"
#include "bound/shapes/operator_call.h"

namespace xsp::bound {
namespace {

using Made = std::optional<NodeProblem>;

/// A field for a constant that is not the usual one; attributes are f32.
void set_unusual(std::string_view name, double value, double usual, Problem* problem) {
  if (static_cast<float>(value) != static_cast<float>(usual)) problem->set_number(name, value);
}

/// Before version 13 the dimensions from the axis on mean one, and those before it another.
Made softmax(const NodeView& view, std::string_view log) {
  if (!view.have_one_type({0})) return {};
  Dimensions source = view.input(0)->dimensions;
  const bool is_coerced = view.opset() < 13;
  int64_t axis = view.node().integer("axis", is_coerced ? 1 : -1);
  const auto rank = static_cast<int64_t>(source.size());
  if (is_coerced && axis == rank) return {};
  if (!normalize_axis(rank, &axis)) return {};
  const auto from = static_cast<size_t>(axis);
  if (is_coerced && product_of(source, from + 1, source.size()) != 1) {
    source = {product_of(source, 0, from), product_of(source, from, source.size())};
    axis = 1;
  }
  NodeProblem made{Problem("softmax"), {0}};
  made.problem.set_dimensions("src", source).set_integer("axis", axis).set("log", log);
  made.problem.set("dtype", name_of(view.input(0)->element));
  return made;
}

/// Of inference, with the statistics of channels.
Made batch_norm(const NodeView& view, std::string_view) {
  const Node& node = view.node();
  if (!view.have_one_type({0, 1, 2, 3, 4}) || view.input(0)->dimensions.size() < 2) return {};
  if (node.integer("training_mode", 0) != 0 || node.integer("spatial", 1) == 0 || view.is_output_used(1)) return {};
  const Dimensions channels = {view.input(0)->dimensions[1]};
  for (size_t i = 1; i < 5; ++i) {
    if (view.input(i)->dimensions != channels) return {};
  }
  NodeProblem made{Problem("batchnorm"), {0, 1, 2, 3, 4}};
  made.problem.set_dimensions("src", view.input(0)->dimensions);
  set_unusual("eps", node.number("epsilon", kUsualEpsilon), kUsualEpsilon, &made.problem);
  made.problem.set("dtype", name_of(view.input(0)->element));
  return made;
}

Made layer_norm(const NodeView& view, std::string_view) {
  const Node& node = view.node();
  const bool has_bias = view.input(2) != nullptr;
  if (!view.have_one_type({0, 1}) || (has_bias && !view.have_one_type({2}))) return {};
  if (view.is_output_used(1) || view.is_output_used(2)) return {};
  const Dimensions& source = view.input(0)->dimensions;
  int64_t axis = node.integer("axis", -1);
  if (!normalize_axis(static_cast<int64_t>(source.size()), &axis)) return {};
  const Dimensions inner(source.begin() + axis, source.end());
  if (view.input(1)->dimensions != inner || (has_bias && view.input(2)->dimensions != inner)) return {};
  NodeProblem made{Problem("layernorm"), {0, 1}};
  if (has_bias) made.operands.push_back(2);
  made.problem.set_dimensions("src", source).set_integer("axis", axis).set_integer("bias", has_bias ? 1 : 0);
  set_unusual("eps", node.number("epsilon", kUsualEpsilon), kUsualEpsilon, &made.problem);
  made.problem.set("dtype", name_of(view.input(0)->element));
  return made;
}

Made response_norm(const NodeView& view, std::string_view) {
  const Node& node = view.node();
  if (!view.have_one_type({0}) || view.input(0)->dimensions.size() < 3 || node.integer("size", 0) < 1) return {};
  NodeProblem made{Problem("lrn"), {0}};
  made.problem.set_dimensions("src", view.input(0)->dimensions).set_integer("size", node.integer("size", 0));
  set_unusual("alpha", node.number("alpha", kUsualLrnAlpha), kUsualLrnAlpha, &made.problem);
  set_unusual("beta", node.number("beta", kUsualLrnBeta), kUsualLrnBeta, &made.problem);
  set_unusual("bias", node.number("bias", kUsualLrnBias), kUsualLrnBias, &made.problem);
  made.problem.set("dtype", name_of(view.input(0)->element));
  return made;
}

constexpr ProblemRule kNormalizationProblems[] = {
    {"", "BatchNormalization", batch_norm}, {"", "LRN", response_norm},    {"", "LayerNormalization", layer_norm},
    {"", "LogSoftmax", softmax, "1"},       {"", "Softmax", softmax, "0"},
};

}  // namespace

std::span<const ProblemRule> normalization_problems() { return kNormalizationProblems; }

}  // namespace xsp::bound
