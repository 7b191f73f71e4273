#include "bound/model/benchmark_model.h"

#include <algorithm>

namespace xsp::bound {
namespace {

/// Initializers need not be inputs from 4 on; 10 is the newest that runtimes of the last years read.
constexpr int64_t kLeastVersion = 4;
constexpr int64_t kMostVersion = 10;

}  // namespace

Model benchmark_model(const Model& source, const std::string& graph_name) {
  Model model;
  model.ir_version = std::clamp(source.ir_version, kLeastVersion, kMostVersion);
  model.producer = "xsp";
  model.opsets = source.opsets;
  model.graph.name = graph_name;
  return model;
}

DeclaredValue declared(const std::string& name, const ValueFacts& facts) {
  DeclaredValue value;
  value.name = name;
  value.element = facts.element;
  value.has_rank = facts.has_shape;
  for (const int64_t size : facts.dimensions) value.dimensions.push_back({size, ""});
  return value;
}

ConstantTensor constant_of(const std::string& name, const ValueFacts& facts) {
  ConstantTensor tensor;
  tensor.name = name;
  tensor.element = facts.element;
  tensor.dimensions = facts.dimensions;
  tensor.has_values = true;
  if (facts.integers) tensor.integers = *facts.integers;
  if (facts.numbers) tensor.numbers = *facts.numbers;
  return tensor;
}

}  // namespace xsp::bound
