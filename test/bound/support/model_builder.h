#pragma once

#include <string>
#include <vector>

#include "bound/onnx/graph.h"

namespace xsp::bound::test {

Attribute integer_attribute(std::string name, int64_t value);
Attribute number_attribute(std::string name, double value);
Attribute text_attribute(std::string name, std::string value);
Attribute integers_attribute(std::string name, std::vector<int64_t> values);
Attribute numbers_attribute(std::string name, std::vector<double> values);

/// A model made value by value and node by node.
class ModelBuilder {
 public:
  explicit ModelBuilder(int64_t opset = 17);

  /// All return the name of the value.
  std::string input(std::vector<int64_t> dimensions, ElementType element = ElementType::kF32);
  std::string integers(std::vector<int64_t> values);
  std::string number(double value);
  std::string numbers(std::vector<double> values);
  /// The first output; others are NAME.1, NAME.2. Nodes are called as their type with a number.
  std::string node(const std::string& type, std::vector<std::string> inputs, std::vector<Attribute> attributes = {},
                   const std::string& domain = "", size_t outputs = 1);
  void output(const std::string& value);

  Node& last_node() { return model_.graph.nodes.back(); }
  Model& model() { return model_; }

 private:
  std::string next_name(const std::string& stem);

  Model model_;
  size_t values_ = 0;
};

}  // namespace xsp::bound::test
