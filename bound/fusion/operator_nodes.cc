#include "bound/fusion/operator_nodes.h"

#include <algorithm>

#include "bound/problems/plain_values.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kContributed = "com.microsoft";

/// A function as one node, with its bounds and slopes as attributes.
struct FunctionNode {
  std::string_view alg;
  GraphWriter::Operator op;
  std::string_view alpha = "", beta = "";
};
constexpr FunctionNode kFunctionNodes[] = {
    {"relu", {"Relu"}},
    {"leaky_relu", {"LeakyRelu"}, "alpha"},
    {"elu", {"Elu"}, "alpha"},
    {"selu", {"Selu"}, "alpha", "gamma"},
    {"sigmoid", {"Sigmoid"}},
    {"hardsigmoid", {"HardSigmoid"}, "alpha", "beta"},
    {"hardswish", {"HardSwish"}},
    {"tanh", {"Tanh"}},
    {"gelu_erf", {"Gelu", kContributed}},
    {"gelu_tanh", {"FastGelu", kContributed}},
    {"silu", {"QuickGelu", kContributed}, "alpha"},
    {"softplus", {"Softplus"}},
};

struct BinaryNode {
  std::string_view alg, type;
};
constexpr BinaryNode kBinaryNodes[] = {{"add", "Add"}, {"sub", "Sub"}, {"mul", "Mul"}, {"div", "Div"},
                                       {"min", "Min"}, {"max", "Max"}, {"pow", "Pow"}};

}  // namespace

std::string write_step(const PostStep& step, const std::string& value, ElementType element, GraphWriter* writer) {
  if (step.alg == "clip")
    return writer->add({"Clip"}, {value, writer->number(step.alpha, element), writer->number(step.beta, element)});
  if (step.alg == "mish")
    return writer->add({"Mul"}, {value, writer->add({"Tanh"}, {writer->add({"Softplus"}, {value})})});
  const auto* const found = std::ranges::find(kFunctionNodes, step.alg, &FunctionNode::alg);
  if (found == std::end(kFunctionNodes)) return "";
  std::vector<Attribute> attributes;
  if (!found->alpha.empty()) attributes.push_back(number_attribute(std::string(found->alpha), step.alpha));
  if (!found->beta.empty()) attributes.push_back(number_attribute(std::string(found->beta), step.beta));
  return writer->add(found->op, {value}, std::move(attributes));
}

std::string write_function(const Problem& problem, GraphWriter* writer) {
  const PostStep step{std::string(problem.field("alg")), problem.number("alpha"), problem.number("beta"), 0};
  return write_step(step, "src", element_type_named(problem.types().source).value_or(ElementType::kF32), writer);
}

std::string write_binary(const Problem& problem, GraphWriter* writer) {
  const auto* const found = std::ranges::find(kBinaryNodes, problem.field("alg"), &BinaryNode::alg);
  return found == std::end(kBinaryNodes) ? "" : writer->add({found->type}, {"src0", "src1"});
}

std::string write_normalization(const Problem& problem, GraphWriter* writer) {
  std::vector<std::string> inputs{"src", "scale"};
  if (problem.integer("bias") != 0) inputs.emplace_back("bias");
  return writer->add({"LayerNormalization"}, std::move(inputs),
                     {integer_attribute("axis", problem.integer("axis")),
                      number_attribute("epsilon", problem.number("eps", kUsualEpsilon))});
}

std::string write_added_norm(const Problem& problem, GraphWriter* writer) {
  const auto rank = static_cast<int64_t>(problem.dimensions("src").size());
  const bool has_bias = problem.integer("bias") != 0, has_row = problem.integer("row") != 0;
  const double epsilon = problem.number("eps", kUsualEpsilon);
  if (problem.integer("axis") == rank - 1 && (rank == 2 || rank == 3)) {
    std::vector<std::string> inputs{"src", "skip", "scale"};
    if (has_bias || has_row) inputs.emplace_back(has_bias ? "bias" : "");
    if (has_row) inputs.emplace_back("row");
    return writer->add({"SkipLayerNormalization", kContributed}, std::move(inputs),
                       {number_attribute("epsilon", epsilon)});
  }
  std::string sum = has_row ? writer->add({"Add"}, {"src", "row"}) : "src";
  sum = writer->add({"Add"}, {sum, "skip"});
  std::vector<std::string> inputs{sum, "scale"};
  if (has_bias) inputs.emplace_back("bias");
  return writer->add({"LayerNormalization"}, std::move(inputs),
                     {integer_attribute("axis", problem.integer("axis")), number_attribute("epsilon", epsilon)});
}

std::string write_attention(const Problem& problem, GraphWriter* writer) {
  // The scores may be scaled by the product; ONNX Runtime has one that transposes and scales.
  std::string scores =
      writer->add({"FusedMatMul", kContributed}, {"q", "k"},
                  {number_attribute("alpha", problem.number("scale", 1)), integer_attribute("transB", 1)});
  if (problem.field("mask") != "0") scores = writer->add({"Add"}, {scores, "mask"});
  const std::string weights = writer->add({"Softmax"}, {scores}, {integer_attribute("axis", -1)});
  return writer->add({"MatMul"}, {weights, "v"});
}

}  // namespace xsp::bound
