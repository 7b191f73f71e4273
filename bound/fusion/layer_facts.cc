#include "bound/fusion/layer_facts.h"

namespace xsp::bound {
namespace {

constexpr size_t kMostPassed = 8;

}  // namespace

double rounding_of(const GraphValue& value) {
  switch (value.facts->element) {
    case ElementType::kBf16:
      return 4e-3;
    case ElementType::kF16:
      return 5e-4;
    default:
      return 2e-5;
  }
}

const GraphValue* other_operand(const ModelGraph& graph, size_t layer, const GraphValue& value) {
  if (graph.inputs(layer) != 2) return nullptr;
  const GraphValue* left = graph.input(layer, 0);
  const GraphValue* right = graph.input(layer, 1);
  if (left == right) return nullptr;
  return left == &value ? right : right == &value ? left : nullptr;
}

SoleReader sole_reader(const ModelGraph& graph, const GraphValue& value, std::vector<size_t>* passed) {
  const GraphValue* at = &value;
  std::vector<size_t> transparent;
  while (true) {
    const size_t reader = at->sole_reader();
    if (reader == kNoLayer) return {};
    if (!graph.is_transparent(reader)) {
      passed->insert(passed->end(), transparent.begin(), transparent.end());
      return {reader, at};
    }
    if (transparent.size() == kMostPassed) return {};
    transparent.push_back(reader);
    at = graph.output(reader);
  }
}

const GraphValue* passed_on(const ModelGraph& graph, const GraphValue& value, std::vector<size_t>* passed) {
  const GraphValue* at = &value;
  bool is_alone = true;
  for (size_t i = 0; i < kMostPassed && at->producer != kNoLayer && graph.is_transparent(at->producer); ++i) {
    is_alone = is_alone && at->sole_reader() != kNoLayer;
    if (is_alone) passed->push_back(at->producer);
    at = graph.input(at->producer, 0);
  }
  return at;
}

bool is_binary(const ModelGraph& graph, size_t layer, std::string_view alg) {
  const Problem& problem = graph.problem(layer);
  return problem.kind() == "binary" && problem.field("alg") == alg && problem.field("post").empty();
}

std::optional<double> factor_of(const ModelGraph& graph, size_t layer, const GraphValue& value) {
  const bool divides = is_binary(graph, layer, "div");
  if (!divides && !is_binary(graph, layer, "mul")) return {};
  const GraphValue* other = other_operand(graph, layer, value);
  if (other == nullptr || (divides && graph.input(layer, 0) != &value)) return {};
  const GraphValue* result = graph.output(layer);
  const auto number = ModelGraph::number_of(*other);
  if (!number || result == nullptr || result->dimensions() != value.dimensions()) return {};
  if (divides && *number == 0) return {};
  return divides ? 1 / *number : *number;
}

std::string dtype_of_problem(const ModelGraph& graph, size_t layer) {
  return std::string(graph.problem(layer).field("dtype"));
}

}  // namespace xsp::bound
