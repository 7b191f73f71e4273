#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bound/onnx/graph.h"
#include "bound/shapes/value_facts.h"

namespace xsp::bound {

/// A node with what is known of the values that it reads and writes. All of it must outlive the view.
class NodeView {
 public:
  /// `is_used`: by output, whether anything reads it.
  NodeView(const Node& node, int64_t opset, const GraphFacts& facts, std::vector<bool> is_used);

  const Node& node() const { return *node_; }
  int64_t opset() const { return opset_; }  // of the node's domain
  bool is(std::string_view domain, std::string_view type) const {
    return node_->domain == domain && node_->type == type;
  }
  /// "Conv", "com.microsoft.FusedConv".
  std::string type() const;

  size_t inputs() const { return inputs_.size(); }
  size_t outputs() const { return outputs_.size(); }
  /// Null where it is left out.
  const ValueFacts* input(size_t index) const { return index < inputs_.size() ? inputs_[index] : nullptr; }
  const ValueFacts* output(size_t index) const { return index < outputs_.size() ? outputs_[index] : nullptr; }
  bool is_output_used(size_t index) const { return index < is_used_.size() && is_used_[index]; }

  /// Whether an input is there and has a shape.
  bool has_shape(size_t index) const { return input(index) != nullptr && input(index)->has_shape; }
  /// Whether the inputs are there and have the element type of the first output.
  bool have_one_type(const std::vector<size_t>& inputs) const;
  /// Values of an input that are known before anything runs; nothing where it is left out or not known.
  std::optional<std::vector<int64_t>> integers(size_t index) const;
  /// The one value of an input with a single element.
  std::optional<double> number(size_t index) const;

 private:
  const Node* node_;
  int64_t opset_;
  std::vector<const ValueFacts*> inputs_;
  std::vector<const ValueFacts*> outputs_;
  std::vector<bool> is_used_;
};

}  // namespace xsp::bound
