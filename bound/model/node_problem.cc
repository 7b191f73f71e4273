#include "bound/model/node_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "bound/model/attribute_texts.h"
#include "bound/model/short_text.h"
#include "bound/onnx/element_type.h"

namespace xsp::bound {
namespace {

/// How many values of an input are written out at most, and how many fields with how many characters in all.
constexpr size_t kMostWrittenValues = 64;
constexpr size_t kMostFields = 64;
constexpr size_t kMostFieldsText = 4096;

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

/// Fields of one sort: written one by one unless that gets too long; then their number and sum are one field.
class FieldList {
 public:
  void add(std::string name, std::string text) {
    sum_.add(name);
    sum_.add(uint64_t{'='});
    sum_.add(text);
    sum_.add(uint64_t{' '});
    ++count_;
    size_ += name.size() + text.size();
    if (is_too_long()) {
      fields_.clear();
    } else {
      fields_.emplace_back(std::move(name), std::move(text));
    }
  }

  void write(std::string_view name, Problem* problem) const {
    if (is_too_long()) problem->set(name, fmt::format("{}:{}", count_, sum_.text()));
    for (const auto& [field, text] : fields_) problem->set(field, text);
  }

 private:
  bool is_too_long() const { return count_ > kMostFields || size_ > kMostFieldsText; }

  Fingerprint sum_;
  size_t count_ = 0;
  size_t size_ = 0;
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace

NodeProblem general_problem(const NodeView& view) {
  NodeProblem made{Problem(view.type()), {}};
  made.problem.set("in", inputs_text(view)).set("out", outputs_text(view));
  FieldList attributes;
  for (auto& [name, text] : attribute_texts(view)) {
    // An attribute may be called like a field.
    const bool is_taken =
        name.empty() || made.problem.has(name) || name.starts_with("const") || name.starts_with("attribute");
    attributes.add(is_taken ? "attribute." + name : name, text);
  }
  attributes.write("attributes", &made.problem);
  FieldList constants;
  const bool takes_numbers = std::ranges::find(kWithNumbers, view.node().type) != std::end(kWithNumbers);
  for (size_t i = 0; i < view.inputs(); ++i) {
    const ValueFacts* facts = view.input(i);
    if (facts == nullptr) continue;
    if (facts->integers && facts->integers->size() <= kMostWrittenValues) {
      constants.add(fmt::format("const{}", i), fmt::format("{}", fmt::join(*facts->integers, ",")));
    } else if (takes_numbers && facts->numbers && facts->numbers->size() <= kMostWrittenValues) {
      constants.add(fmt::format("const{}", i), joined_numbers(*facts->numbers));
    }
  }
  constants.write("constants", &made.problem);
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
