#include "analysis/study/evaluation_inputs.h"

#include <charconv>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/study/merged_runs.h"

namespace xsp::analysis {
namespace {

std::optional<int64_t> batch_parameter(const ExperimentRun* run) {
  if (run == nullptr) return {};
  for (const auto& [name, value] : run->parameters) {
    if (!is_batch_parameter(name)) continue;
    int64_t size = 0;
    const char* const end = value.data() + value.size();
    const auto [read, failure] = std::from_chars(value.data(), end, size);
    if (failure == std::errc() && read == end && size > 0) return size;
  }
  return {};
}

/// A model at one point of a sweep.
using ModelAtPoint = std::tuple<std::string, std::vector<std::pair<std::string, std::string>>, uint32_t, uint32_t>;

ModelAtPoint model_at_point(const ExperimentRun& run, const EvaluationGroup& group) {
  return {run.set, run.parameters, group.model, group.scope};
}

}  // namespace

bool is_batch_parameter(std::string_view name) { return name == "batch" || name == "batch_size"; }

std::optional<int64_t> EvaluationInputs::batch() const {
  if (by == By::kOption && parameter) return parameter;
  constexpr double kLargest = 1e15;
  if (!count || *count < 1 || *count > kLargest || *count != std::floor(*count)) return {};
  return static_cast<int64_t>(*count);
}

std::vector<EvaluationInputs> find_inputs(const Trace& trace, const std::vector<EvaluationGroup>& groups) {
  std::vector<EvaluationInputs> all(groups.size());
  std::set<ModelAtPoint> shaped;  // whose first dimension is the batch size of the sweep
  for (size_t i = 0; i < groups.size(); ++i) {
    const ExperimentRun* run = run_of(trace, groups[i]);
    all[i].parameter = batch_parameter(run);
    if (all[i].parameter && all[i].parameter == groups[i].batch_size) shaped.insert(model_at_point(*run, groups[i]));
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    const EvaluationGroup& group = groups[i];
    EvaluationInputs& inputs = all[i];
    const ExperimentRun* run = run_of(trace, group);
    if (run != nullptr && run->inputs) {
      inputs.count = run->inputs;
      inputs.by = EvaluationInputs::By::kOption;
    } else if (run != nullptr && inputs.parameter &&
               !(group.batch_size && shaped.contains(model_at_point(*run, group)))) {
      inputs.count = static_cast<double>(*inputs.parameter);
      inputs.by = EvaluationInputs::By::kParameter;
    } else if (group.batch_size) {
      inputs.count = static_cast<double>(*group.batch_size);
      inputs.by = EvaluationInputs::By::kShape;
    }
  }
  return all;
}

}  // namespace xsp::analysis
