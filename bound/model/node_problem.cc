#include "bound/model/node_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "bound/onnx/element_type.h"

namespace xsp::bound {
namespace {

/// How many values of an input or an attribute, and characters of a text, are written out at most.
constexpr size_t kMostWrittenValues = 64;
constexpr size_t kMostWrittenText = 512;

/// Operators whose settings may be given as numbers that are not whole.
constexpr std::string_view kWithNumbers[] = {"Clip", "Pow", "Resize", "Upsample"};

using RuleIndex = std::unordered_map<std::string_view, std::vector<const ProblemRule*>>;

const RuleIndex& rules_by_type() {
  static const RuleIndex kIndex = [] {
    RuleIndex index;
    for (const auto& rules : {convolution_problems(), product_problems(), pooling_problems(), elementwise_problems(),
                              binary_problems(), normalization_problems(), reduction_problems(), movement_problems()}) {
      for (const ProblemRule& rule : rules) index[rule.type].push_back(&rule);
    }
    return index;
  }();
  return kIndex;
}

std::string joined_numbers(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ",") + number_text(number);
  return text;
}

/// Of what is too long to be written (the nodes of a forest) its length and FNV-1a sum.
std::string shortened(std::string text) {
  if (text.size() <= kMostWrittenText) return text;
  uint64_t sum = 14695981039346656037U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{}:{:016x}", text.size(), sum);
}

/// Nothing for graphs and what is not read.
std::optional<std::string> attribute_text(const Attribute& attribute) {
  using Kind = Attribute::Kind;
  switch (attribute.kind) {
    case Kind::kNumber:
      return number_text(attribute.number);
    case Kind::kInteger:
      return fmt::format("{}", attribute.integer);
    case Kind::kText:
      return shortened(attribute.text);
    case Kind::kNumbers:
      return shortened(joined_numbers(attribute.numbers));
    case Kind::kIntegers:
      return shortened(fmt::format("{}", fmt::join(attribute.integers, ",")));
    case Kind::kTexts:
      return shortened(fmt::format("{}", fmt::join(attribute.texts, ",")));
    default:
      return {};
  }
}

}  // namespace

NodeProblem general_problem(const NodeView& view) {
  NodeProblem made{Problem(view.type()), {}};
  made.problem.set("in", inputs_text(view)).set("out", outputs_text(view));
  std::map<std::string_view, std::string> attributes;
  for (const Attribute& attribute : view.node().attributes) {
    if (auto text = attribute_text(attribute)) attributes.insert_or_assign(attribute.name, *std::move(text));
  }
  // An attribute may be called like a field.
  for (const auto& [name, text] : attributes) {
    const bool is_taken = name.empty() || made.problem.has(name) || name.starts_with("const");
    made.problem.set(is_taken ? fmt::format("attribute.{}", name) : std::string(name), text);
  }
  const bool takes_numbers = std::ranges::find(kWithNumbers, view.node().type) != std::end(kWithNumbers);
  for (size_t i = 0; i < view.inputs(); ++i) {
    const ValueFacts* facts = view.input(i);
    if (facts == nullptr) continue;
    const std::string name = fmt::format("const{}", i);
    if (facts->integers && facts->integers->size() <= kMostWrittenValues) {
      made.problem.set_list(name, *facts->integers);
    } else if (takes_numbers && facts->numbers && facts->numbers->size() <= kMostWrittenValues) {
      made.problem.set(name, joined_numbers(*facts->numbers));
    }
  }
  return made;
}

NodeProblem problem_of(const NodeView& view) {
  if (const auto rules = rules_by_type().find(view.node().type); rules != rules_by_type().end()) {
    for (const ProblemRule* rule : rules->second) {
      if (rule->domain != view.node().domain) continue;
      if (auto made = rule->make(view, rule->alg)) return *std::move(made);
      break;
    }
  }
  return general_problem(view);
}

std::string types_text(const ValueFacts& source, const ValueFacts& weights, const ValueFacts& destination) {
  if (source.element == weights.element && source.element == destination.element)
    return std::string(name_of(source.element));
  return fmt::format("{}:{}:{}", name_of(source.element), name_of(weights.element), name_of(destination.element));
}

}  // namespace xsp::bound
