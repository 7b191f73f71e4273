#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "bound/onnx/model_file.h"

namespace xsp::test::models {

using bound::Attribute;
using bound::DeclaredValue;
using bound::Function;
using bound::Graph;
using bound::Model;
using bound::Node;

inline Node node_of(std::string type, std::vector<std::string> inputs, std::vector<std::string> outputs,
                    std::string name = {}) {
  Node node;
  node.name = std::move(name);
  node.type = std::move(type);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

/// A call of a function of the domain "my".
inline Node call_of(std::string function, std::vector<std::string> inputs, std::vector<std::string> outputs,
                    std::string name = {}) {
  Node node = node_of(std::move(function), std::move(inputs), std::move(outputs), std::move(name));
  node.domain = "my";
  return node;
}

inline Function function_of(std::string name, std::vector<std::string> inputs, std::vector<std::string> outputs,
                            std::vector<Node> nodes) {
  Function function;
  function.domain = "my";
  function.name = std::move(name);
  function.inputs = std::move(inputs);
  function.outputs = std::move(outputs);
  function.nodes = std::move(nodes);
  function.opsets = {{"", 21}};
  return function;
}

/// An attribute that is a graph.
inline Attribute graph_attribute(std::string name, std::vector<Node> nodes, std::vector<std::string> outputs) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = Attribute::Kind::kGraph;
  Graph& graph = attribute.graphs.emplace_back();
  graph.nodes = std::move(nodes);
  for (std::string& output : outputs) graph.outputs.push_back({.name = std::move(output)});
  return attribute;
}

/// A model whose inputs are f32[2,3].
inline Model model_of(std::vector<std::string> inputs, std::vector<Node> nodes, std::vector<Function> functions = {}) {
  Model model;
  model.ir_version = 10;
  model.opsets = {{"", 21}, {"my", 1}};
  model.graph.name = "g";
  model.graph.nodes = std::move(nodes);
  for (std::string& input : inputs) {
    DeclaredValue& value = model.graph.inputs.emplace_back();
    value.name = std::move(input);
    value.element = bound::ElementType::kF32;
    value.has_rank = true;
    value.dimensions = {{.size = 2, .name = {}}, {.size = 3, .name = {}}};
  }
  model.functions = std::move(functions);
  return model;
}

/// What is read of the model once it is written.
inline Status reread(const Model& model, Model* read) { return bound::parse_model(bound::write_model(model), read); }

/// A node in a line: "t/p=Relu(x,)".
inline std::string line_of(const Node& node) {
  std::string line;
  for (const std::string& output : node.outputs) line += (line.empty() ? "" : ",") + output;
  line += "=" + node.type + "(";
  for (size_t i = 0; i < node.inputs.size(); ++i) line += (i == 0 ? "" : ",") + node.inputs[i];
  return line + ")";
}

inline std::vector<std::string> lines_of(const Graph& graph) {
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) lines.push_back(line_of(node));
  return lines;
}

}  // namespace xsp::test::models
