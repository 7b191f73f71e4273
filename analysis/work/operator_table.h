#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analysis/work/formulas.h"
#include "analysis/work/operator_arguments.h"

namespace xsp::analysis {

/// A line of a table of operators. Names of PyTorch stand without "aten::" and without the underscore of what works in
/// place; those of ONNX and TensorFlow have an upper-case letter.
struct NamedOperator {
  std::string_view name;
  FormulaId formula;
  WorkFunction work;
  double parameter = 0;  // of `work`: flops an element, or which of several forms
};

/// In the forms of operators: there is no such argument.
inline constexpr int kNoArgument = -1;

std::span<const NamedOperator> matrix_operators();
std::span<const NamedOperator> convolution_operators();
std::span<const NamedOperator> convolution_gradient_operators();
std::span<const NamedOperator> attention_operators();
std::span<const NamedOperator> recurrent_operators();
std::span<const NamedOperator> normalization_operators();
std::span<const NamedOperator> pooling_operators();
std::span<const NamedOperator> elementwise_operators();
std::span<const NamedOperator> list_operators();
std::span<const NamedOperator> reduction_operators();
std::span<const NamedOperator> movement_operators();
std::span<const NamedOperator> collective_operators();

/// Work of a formula; nothing unless all numbers are finite and none negative. Unknown bytes are NaN.
std::optional<Work> work_of(FormulaId formula, double flops, double read_bytes, double write_bytes, DataType type);

/// Bytes of a tensor, 0 for none.
inline double bytes_of(const TensorShape* tensor) { return tensor == nullptr ? 0 : tensor->bytes(); }
inline double elements_of(const TensorShape* tensor) { return tensor == nullptr ? 0 : tensor->elements; }

/// A product of complex numbers is 4 products and as many additions.
inline double complex_factor(std::string_view element) { return element.starts_with("c") ? 4 : 1; }

}  // namespace xsp::analysis
