#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bound/onnx/graph.h"

namespace xsp::bound {

/// Attributes of nodes that are written.
Attribute integer_attribute(std::string name, int64_t value);
Attribute number_attribute(std::string name, double value);
Attribute text_attribute(std::string name, std::string value);
Attribute integers_attribute(std::string name, std::vector<int64_t> values);

/// A small model while it is written, node after node.
class GraphWriter {
 public:
  /// Operators of `opset` and those of com.microsoft.
  explicit GraphWriter(int64_t opset);

  void add_input(const std::string& name, ElementType element, const std::vector<int64_t>& dimensions);
  /// A constant that is one number: its name.
  std::string number(double value, ElementType element);
  std::string scalar(int64_t value, ElementType element);

  struct Operator {
    std::string_view type;
    std::string_view domain = "";
  };
  /// Returns the name of its result. `name`: of the node and the result; empty: some.
  std::string add(Operator op, std::vector<std::string> inputs, std::vector<Attribute> attributes = {},
                  const std::string& name = "");

  /// The bytes of the model, whose one output is the value of that name.
  std::string written(const std::string& output, ElementType element, const std::vector<int64_t>& dimensions);

 private:
  Model model_;
};

}  // namespace xsp::bound
