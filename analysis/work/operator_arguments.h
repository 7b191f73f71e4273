#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/work/operator_work.h"
#include "analysis/work/tensor_shape.h"

namespace xsp::analysis {

/// The arguments of one operator call, read.
class OperatorArguments {
 public:
  /// Nothing where the tensors cannot be read.
  static std::optional<OperatorArguments> parse(const OperatorCall& call);

  size_t inputs() const { return inputs_.size(); }
  /// Null for what is no tensor or is not there; the first tensor of a list.
  const TensorShape* input(size_t index) const { return tensor(inputs_, index); }
  const TensorShape* output(size_t index) const { return tensor(outputs_, index); }
  /// Empty for what is not there.
  const TensorArgument& inputs_of(size_t index) const { return list(inputs_, index); }
  const std::vector<TensorArgument>& all_outputs() const { return outputs_; }

  /// The tensors of the operator around it; the gradient of its output.
  const TensorShape* enclosing_input(size_t index) const { return tensor(enclosing_, index); }
  const TensorShape* gradient() const { return tensor(gradient_, 0); }

  /// The value of an argument that is no tensor, as PyTorch prints it: "[16, 16]", "False", "1".
  size_t values() const { return values_.size(); }
  bool has_value(size_t index) const { return index < values_.size() && !values_[index].empty(); }
  std::optional<int64_t> integer(size_t index) const;
  std::optional<double> number(size_t index) const;
  std::optional<bool> flag(size_t index) const;
  /// A list of integers; an integer alone is a list of one.
  std::optional<std::vector<int64_t>> integers(size_t index) const;
  std::optional<std::vector<bool>> flags(size_t index) const;
  std::string_view value(size_t index) const { return index < values_.size() ? values_[index] : std::string_view(); }

 private:
  static const TensorArgument& list(const std::vector<TensorArgument>& arguments, size_t index);
  static const TensorShape* tensor(const std::vector<TensorArgument>& arguments, size_t index);

  std::vector<TensorArgument> inputs_;
  std::vector<TensorArgument> outputs_;
  std::vector<TensorArgument> enclosing_;
  std::vector<TensorArgument> gradient_;
  std::vector<std::string> values_;
};

/// The work of an operator of a table; `parameter` is the table's.
using WorkFunction = std::optional<Work> (*)(const OperatorArguments& arguments, double parameter);

}  // namespace xsp::analysis
