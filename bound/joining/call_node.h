#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bound/onnx/graph.h"
#include "bound/problems/geometry.h"
#include "bound/problems/problem.h"
#include "bound/shapes/value_facts.h"

namespace xsp::bound {

/// The node of ONNX that computes what a call of a library does: its problem is made as those of a model's own nodes
/// are, so that both find the same benchmarks.
class CallNode {
 public:
  explicit CallNode(std::string type, std::string domain = "");

  CallNode& input(ElementType element, Dimensions dimensions);
  CallNode& output(ElementType element, Dimensions dimensions);
  CallNode& integer(std::string name, int64_t value);
  CallNode& integers(std::string name, std::vector<int64_t> values);
  CallNode& number(std::string name, double value);

  /// Nothing where a type or size is none that a model has, the result is not as large as the output, or no back end
  /// computes such a node.
  std::optional<Problem> problem() const;

 private:
  std::string add(ElementType element, Dimensions dimensions);
  bool is_sensible() const;

  Node node_;
  GraphFacts facts_;
};

/// The words for an element that libraries use besides ours: "s8", "f8_e4m3", "fp8_e4m3". kUndefined: none of these.
ElementType element_of_library(std::string_view name);

}  // namespace xsp::bound
