#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/work/work.h"

namespace xsp::analysis {

/// An operator of a framework with its arguments in the form of doc/import.md. The texts may be anything: what cannot
/// be read has no work.
struct OperatorCall {
  std::string_view name;     // "aten::addmm", "Conv", "Conv2D"
  std::string_view inputs;   // "f32[64];f32[8,32];f32[32,64];;"
  std::string_view outputs;  // empty where the tool does not tell them
  std::string_view values;   // JSON array of the arguments that are no tensors

  /// What other operators tell where this one does not say enough (PyTorch before 1.13 records no strides of a
  /// convolution): the inputs of the operator around it, and those of its backward function, of which the first has the
  /// shape of its output.
  std::string_view enclosing_inputs = {};
  std::string_view gradient_inputs = {};
};

/// Nothing for an operator without a formula, or with arguments that its formula cannot be computed from.
std::optional<Work> operator_work(const OperatorCall& call);

/// Whether any formula is for operators of this name.
bool has_operator_formula(std::string_view name);

/// The table of all formulas with the operators that they are for, as doc/metrics.md shows it.
std::string formulas_markdown();

}  // namespace xsp::analysis
