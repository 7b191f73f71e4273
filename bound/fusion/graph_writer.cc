#include "bound/fusion/graph_writer.h"

#include <fmt/format.h>

#include "bound/onnx/model_file.h"

namespace xsp::bound {
namespace {

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
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kInteger;
  attribute.integer = value;
  return attribute;
}

Attribute number_attribute(std::string name, double value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kNumber;
  attribute.number = value;
  return attribute;
}

Attribute text_attribute(std::string name, std::string value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kText;
  attribute.text = std::move(value);
  return attribute;
}

Attribute integers_attribute(std::string name, std::vector<int64_t> values) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kIntegers;
  attribute.integers = std::move(values);
  return attribute;
}

GraphWriter::GraphWriter(int64_t opset) {
  model_.ir_version = 8;
  model_.producer = "xsp";
  model_.opsets = {{"", opset}, {"com.microsoft", 1}};
  model_.graph.name = "group";
}

void GraphWriter::add_input(const std::string& name, ElementType element, const std::vector<int64_t>& dimensions) {
  model_.graph.inputs.push_back(declared_tensor(name, element, dimensions));
}

std::string GraphWriter::number(double value, ElementType element) {
  ConstantTensor tensor;
  tensor.name = fmt::format("c{}", model_.graph.initializers.size());
  tensor.element = element;
  tensor.has_values = true;
  tensor.numbers = {value};
  model_.graph.initializers.push_back(tensor);
  return tensor.name;
}

std::string GraphWriter::scalar(int64_t value, ElementType element) {
  ConstantTensor tensor;
  tensor.name = fmt::format("c{}", model_.graph.initializers.size());
  tensor.element = element;
  tensor.has_values = true;
  tensor.integers = {value};
  model_.graph.initializers.push_back(tensor);
  return tensor.name;
}

std::string GraphWriter::add(Operator op, std::vector<std::string> inputs, std::vector<Attribute> attributes,
                             const std::string& name) {
  Node node;
  node.name = name.empty() ? fmt::format("n{}", model_.graph.nodes.size()) : name;
  node.type = op.type;
  node.domain = op.domain;
  node.inputs = std::move(inputs);
  node.outputs = {name.empty() ? fmt::format("t{}", model_.graph.nodes.size()) : name};
  node.attributes = std::move(attributes);
  model_.graph.nodes.push_back(std::move(node));
  return model_.graph.nodes.back().outputs.front();
}

std::string GraphWriter::written(const std::string& output, ElementType element,
                                 const std::vector<int64_t>& dimensions) {
  model_.graph.outputs = {declared_tensor(output, element, dimensions)};
  return write_model(model_);
}

}  // namespace xsp::bound
