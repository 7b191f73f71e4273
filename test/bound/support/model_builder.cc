#include "test/bound/support/model_builder.h"

#include <fmt/format.h>

namespace xsp::bound::test {
namespace {

Attribute attribute_of(std::string name, Attribute::Kind kind) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = kind;
  return attribute;
}

DeclaredValue declared_tensor(const std::string& name, ElementType element, const std::vector<int64_t>& dimensions) {
  DeclaredValue value;
  value.name = name;
  value.element = element;
  value.has_rank = true;
  for (const int64_t size : dimensions) value.dimensions.push_back({size, ""});
  return value;
}

}  // namespace

Attribute integer_attribute(std::string name, int64_t value) {
  Attribute attribute = attribute_of(std::move(name), Attribute::Kind::kInteger);
  attribute.integer = value;
  return attribute;
}

Attribute number_attribute(std::string name, double value) {
  Attribute attribute = attribute_of(std::move(name), Attribute::Kind::kNumber);
  attribute.number = value;
  return attribute;
}

Attribute text_attribute(std::string name, std::string value) {
  Attribute attribute = attribute_of(std::move(name), Attribute::Kind::kText);
  attribute.text = std::move(value);
  return attribute;
}

Attribute integers_attribute(std::string name, std::vector<int64_t> values) {
  Attribute attribute = attribute_of(std::move(name), Attribute::Kind::kIntegers);
  attribute.integers = std::move(values);
  return attribute;
}

Attribute numbers_attribute(std::string name, std::vector<double> values) {
  Attribute attribute = attribute_of(std::move(name), Attribute::Kind::kNumbers);
  attribute.numbers = std::move(values);
  return attribute;
}

ModelBuilder::ModelBuilder(int64_t opset) {
  model_.ir_version = 8;
  model_.producer = "test";
  model_.opsets = {{"", opset}, {"com.microsoft", 1}};
  model_.graph.name = "graph";
}

std::string ModelBuilder::next_name(const std::string& stem) { return fmt::format("{}{}", stem, values_++); }

std::string ModelBuilder::input(std::vector<int64_t> dimensions, ElementType element) {
  model_.graph.inputs.push_back(declared_tensor(next_name("input"), element, dimensions));
  return model_.graph.inputs.back().name;
}

std::string ModelBuilder::integers(std::vector<int64_t> values) {
  ConstantTensor tensor;
  tensor.name = next_name("integers");
  tensor.element = ElementType::kI64;
  tensor.dimensions = {static_cast<int64_t>(values.size())};
  tensor.has_values = true;
  tensor.integers = std::move(values);
  model_.graph.initializers.push_back(tensor);
  return tensor.name;
}

std::string ModelBuilder::number(double value) {
  const std::string name = numbers({value});
  model_.graph.initializers.back().dimensions.clear();
  return name;
}

std::string ModelBuilder::numbers(std::vector<double> values) {
  ConstantTensor tensor;
  tensor.name = next_name("numbers");
  tensor.element = ElementType::kF32;
  tensor.dimensions = {static_cast<int64_t>(values.size())};
  tensor.has_values = true;
  tensor.numbers = std::move(values);
  model_.graph.initializers.push_back(tensor);
  return tensor.name;
}

std::string ModelBuilder::node(const std::string& type, std::vector<std::string> inputs,
                               std::vector<Attribute> attributes, const std::string& domain, size_t outputs) {
  Node node;
  node.type = type;
  node.domain = domain;
  node.name = next_name(type);
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  const std::string value = next_name("value");
  node.outputs.push_back(value);
  for (size_t i = 1; i < outputs; ++i) node.outputs.push_back(fmt::format("{}.{}", value, i));
  model_.graph.nodes.push_back(std::move(node));
  return value;
}

void ModelBuilder::output(const std::string& value) {
  DeclaredValue declared;
  declared.name = value;
  declared.element = ElementType::kF32;
  model_.graph.outputs.push_back(declared);
}

}  // namespace xsp::bound::test
