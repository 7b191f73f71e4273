#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bound/onnx/graph.h"
#include "bound/shapes/value_facts.h"

namespace xsp::bound {

using Dimensions = std::vector<int64_t>;

/// What an operator's function found out about the outputs of a node.
struct Finding {
  enum class Kind : uint8_t {
    kKnown,
    kUnknown,     // `text`: why, to stand behind "of node n: "
    kImpossible,  // `text`: the contradiction
  };
  Kind kind = Kind::kKnown;
  std::string text;

  bool is_known() const { return kind == Kind::kKnown; }
  static Finding known() { return {}; }
  static Finding unknown(std::string why) { return {Kind::kUnknown, std::move(why)}; }
  static Finding impossible(std::string what) { return {Kind::kImpossible, std::move(what)}; }
};

/// A list of whole numbers that a node has as an attribute or, in later versions of its operator, as an input.
struct GivenList {
  bool is_given = false;
  bool is_known = true;  // false: an input that is computed from data
  std::vector<int64_t> values;
};

/// A node while the facts of its outputs are made. Inputs are facts of values; outputs start without anything known.
/// Functions of operators may read any input that has(), all of which have shapes unless their rule says otherwise.
class OperatorCall {
 public:
  /// The node and what the pointers (null where an input is left out) point to must outlive the call.
  OperatorCall(const Node& node, int64_t opset, std::vector<const ValueFacts*> inputs);

  const Node& node() const { return *node_; }
  int64_t opset() const { return opset_; }  // of the node's domain

  size_t input_count() const { return inputs_.size(); }
  bool has(size_t index) const { return index < inputs_.size() && inputs_[index] != nullptr; }
  /// Only where has(index), as all that follow.
  const ValueFacts& input(size_t index) const { return *inputs_[index]; }
  const Dimensions& shape(size_t index) const { return inputs_[index]->dimensions; }
  int64_t rank(size_t index) const { return static_cast<int64_t>(inputs_[index]->dimensions.size()); }

  size_t output_count() const { return outputs_.size(); }
  bool wants(size_t index) const { return index < outputs_.size() && !node_->outputs[index].empty(); }
  ValueFacts& output(size_t index) { return outputs_[index]; }
  const ValueFacts& output(size_t index) const { return outputs_[index]; }
  /// Does nothing for an output that the node does not have.
  void set_shape(size_t index, Dimensions dimensions);

  /// The input, where it is there, else the attribute; `attribute` may be empty.
  GivenList list(size_t input, std::string_view attribute) const;

 private:
  const Node* node_;
  int64_t opset_;
  std::vector<const ValueFacts*> inputs_;
  std::vector<ValueFacts> outputs_;
};

/// "[2,3]"
std::string text_of(const Dimensions& dimensions);

/// Counts a negative axis from the end. False where there is no such dimension.
bool normalize_axis(int64_t rank, int64_t* axis);

/// All of a list of axes, sorted; false where one is out of range or stands twice.
bool normalize_axes(int64_t rank, std::vector<int64_t>* axes);

/// The shape of both, aligned at their last dimensions, where a 1 is repeated. False where they do not fit.
bool broadcast(const Dimensions& left, const Dimensions& right, Dimensions* result);

/// Product of the dimensions from `begin` to before `end`, saturating at the largest number.
int64_t product_of(const Dimensions& dimensions, size_t begin, size_t end);
inline int64_t product_of(const Dimensions& dimensions) { return product_of(dimensions, 0, dimensions.size()); }

/// Arithmetic on sizes and values that others chose: false on overflow.
bool add_checked(int64_t left, int64_t right, int64_t* sum);
bool subtract_checked(int64_t left, int64_t right, int64_t* difference);
bool multiply_checked(int64_t left, int64_t right, int64_t* product);

/// The words for a list that is computed from data, and for an axis that is not there.
Finding depends_on_data(std::string_view what);
Finding no_such_axis(int64_t axis, const Dimensions& shape);
Finding wrong_rank(std::string_view what, const Dimensions& shape);

}  // namespace xsp::bound
