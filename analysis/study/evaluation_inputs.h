#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// How many inputs an evaluation of a group has, and who says so.
struct EvaluationInputs {
  enum class By { kNobody, kOption, kParameter, kShape };

  std::optional<double> count;
  By by = By::kNobody;
  std::optional<int64_t> parameter;  // the batch size that the sweep set

  /// What a sweep over batch sizes calls the group's: the parameter, else the inputs.
  std::optional<int64_t> batch() const;
};

/// Whether a parameter of a sweep is the batch size: "batch", "batch_size".
bool is_batch_parameter(std::string_view name);

/// By group: --inputs of the run, else the batch size that the sweep set, else the input's first dimension. If a model
/// got the batch size of the sweep as first dimension, its other inputs (the rest of a data set) count as they are.
std::vector<EvaluationInputs> find_inputs(const Trace& trace, const std::vector<EvaluationGroup>& groups);

}  // namespace xsp::analysis
