#include "bound/joining/call_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "bound/model/node_problem.h"

namespace xsp::bound {
namespace {

/// Of the operators of ONNX and of com.microsoft: as nodes are made here.
constexpr int64_t kOpset = 17;

}  // namespace

CallNode::CallNode(std::string type, std::string domain) {
  node_.type = std::move(type);
  node_.domain = std::move(domain);
}

std::string CallNode::add(ElementType element, Dimensions dimensions) {
  const std::string name = fmt::format("{}", facts_.size());
  ValueFacts& facts = facts_[name];
  facts.element = element;
  facts.has_shape = true;
  facts.dimensions = std::move(dimensions);
  return name;
}

CallNode& CallNode::input(ElementType element, Dimensions dimensions) {
  node_.inputs.push_back(add(element, std::move(dimensions)));
  return *this;
}

CallNode& CallNode::output(ElementType element, Dimensions dimensions) {
  node_.outputs.push_back(add(element, std::move(dimensions)));
  return *this;
}

CallNode& CallNode::integer(std::string name, int64_t value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kInteger;
  attribute.integer = value;
  node_.attributes.push_back(std::move(attribute));
  return *this;
}

CallNode& CallNode::integers(std::string name, std::vector<int64_t> values) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kIntegers;
  attribute.integers = std::move(values);
  node_.attributes.push_back(std::move(attribute));
  return *this;
}

CallNode& CallNode::number(std::string name, double value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kNumber;
  attribute.number = value;
  node_.attributes.push_back(std::move(attribute));
  return *this;
}

bool CallNode::is_sensible() const {
  return !node_.inputs.empty() && node_.outputs.size() == 1 && std::ranges::all_of(facts_, [](const auto& entry) {
    const ValueFacts& facts = entry.second;
    return facts.element != ElementType::kUndefined && elements_in(facts.dimensions).value_or(0) > 0;
  });
}

std::optional<Problem> CallNode::problem() const {
  if (!is_sensible()) return {};
  const NodeView view(node_, kOpset, facts_, {true});
  Problem problem = problem_of(view).problem;
  if (problem.kind().empty() || std::islower(static_cast<unsigned char>(problem.kind().front())) == 0) return {};
  const auto result = checked_result_dimensions(problem);
  if (!result || elements_in(*result) != elements_in(view.output(0)->dimensions)) return {};
  return problem;
}

ElementType element_of_library(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"s8", "i8"},          {"s32", "i32"},        {"s64", "i64"},         {"s4", "i4"},
      {"f8_e4m3", "f8e4m3"}, {"f8_e5m2", "f8e5m2"}, {"fp8_e4m3", "f8e4m3"}, {"fp8_e5m2", "f8e5m2"},
  };
  const auto* const found = std::ranges::find(kNames, name, &std::pair<std::string_view, std::string_view>::first);
  return element_type_named(found == std::end(kNames) ? name : found->second).value_or(ElementType::kUndefined);
}

}  // namespace xsp::bound
