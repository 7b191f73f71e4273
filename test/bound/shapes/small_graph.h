#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bound/shapes/shape_inference.h"
#include "test/catch.h"

namespace xsp::bound {

inline Attribute integer_attribute(std::string name, int64_t value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kInteger;
  attribute.integer = value;
  return attribute;
}

inline Attribute list_attribute(std::string name, std::vector<int64_t> values) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kIntegers;
  attribute.integers = std::move(values);
  return attribute;
}

inline Attribute text_attribute(std::string name, std::string value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kText;
  attribute.text = std::move(value);
  return attribute;
}

inline Attribute graph_attribute(std::string name, Graph graph) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kGraph;
  attribute.graphs.push_back(std::move(graph));
  return attribute;
}

inline DeclaredValue declared_value(std::string name, std::vector<Dimension> dimensions,
                                    ElementType element = ElementType::kF32) {
  DeclaredValue value;
  value.name = std::move(name);
  value.element = element;
  value.has_rank = true;
  value.dimensions = std::move(dimensions);
  return value;
}

inline Node make_node(std::string type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                      std::vector<Attribute> attributes = {}) {
  Node node;
  node.type = std::move(type);
  node.name = "the_" + node.type;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.attributes = std::move(attributes);
  return node;
}

/// A model that is put together a value and a node at a time.
struct SmallGraph {
  explicit SmallGraph(int64_t opset = 17) { model.opsets[""] = opset; }

  SmallGraph& input(std::string name, const std::vector<int64_t>& sizes, ElementType element = ElementType::kF32) {
    std::vector<Dimension> dimensions;
    for (const int64_t size : sizes) dimensions.push_back({size, ""});
    model.graph.inputs.push_back(declared_value(std::move(name), std::move(dimensions), element));
    return *this;
  }
  SmallGraph& weight(std::string name, std::vector<int64_t> sizes, ElementType element = ElementType::kF32) {
    ConstantTensor tensor;
    tensor.name = std::move(name);
    tensor.element = element;
    tensor.dimensions = std::move(sizes);
    model.graph.initializers.push_back(std::move(tensor));
    return *this;
  }
  SmallGraph& integers(std::string name, std::vector<int64_t> sizes, std::vector<int64_t> values,
                       ElementType element = ElementType::kI64) {
    weight(std::move(name), std::move(sizes), element);
    model.graph.initializers.back().has_values = true;
    model.graph.initializers.back().integers = std::move(values);
    return *this;
  }
  SmallGraph& list(std::string name, std::vector<int64_t> values) {
    const auto count = static_cast<int64_t>(values.size());
    return integers(std::move(name), {count}, std::move(values));
  }
  SmallGraph& numbers(std::string name, std::vector<double> values) {
    weight(std::move(name), {static_cast<int64_t>(values.size())});
    model.graph.initializers.back().has_values = true;
    model.graph.initializers.back().numbers = std::move(values);
    return *this;
  }
  SmallGraph& node(std::string type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                   std::vector<Attribute> attributes = {}) {
    model.graph.nodes.push_back(
        make_node(std::move(type), std::move(inputs), std::move(outputs), std::move(attributes)));
    return *this;
  }

  Status infer(InferredShapes* inferred, const ShapeBindings& bindings = {}) const {
    return infer_shapes(model, bindings, inferred);
  }
  ValueFacts facts(const std::string& name, const ShapeBindings& bindings = {}) const {
    InferredShapes inferred;
    const Status status = infer(&inferred, bindings);
    INFO(status.error);
    REQUIRE(status.ok());
    REQUIRE(inferred.values.count(name) == 1);
    return inferred.values.at(name);
  }
  std::string text(const std::string& name) const { return facts(name).text(); }
  /// The values, which must be known.
  std::vector<int64_t> values(const std::string& name) const {
    const ValueFacts found = facts(name);
    REQUIRE(found.integers.has_value());
    return *found.integers;
  }
  std::string error(const ShapeBindings& bindings = {}) const {
    InferredShapes inferred;
    return infer(&inferred, bindings).error;
  }

  Model model;
};

using Values = std::vector<int64_t>;

}  // namespace xsp::bound
