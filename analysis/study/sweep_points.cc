#include "analysis/study/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/study/evaluation_inputs.h"
#include "analysis/study/merged_runs.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// A sweep has few parameters; damaged input must not make tables wide without end.
constexpr size_t kMaxParameters = 16;

}  // namespace

const std::string* parameter_value(const ExperimentRun* run, const std::string& name) {
  if (run == nullptr) return nullptr;
  for (const auto& [parameter, value] : run->parameters) {
    if (parameter == name) return &value;
  }
  return nullptr;
}

std::optional<double> parameter_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || read != end || !std::isfinite(number)) return {};
  return number;
}

std::vector<std::string> sweep_parameters(const Trace& trace, const std::vector<EvaluationGroup>& all,
                                          const std::vector<uint32_t>& groups) {
  std::vector<std::string> names;
  for (const uint32_t number : groups) {
    const ExperimentRun* run = run_of(trace, all[number]);
    if (run == nullptr) continue;
    for (const auto& [name, value] : run->parameters) {
      if (names.size() == kMaxParameters) return names;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

void sort_by_point(const Trace& trace, const std::vector<EvaluationGroup>& all, std::vector<uint32_t>* groups) {
  const auto names = sweep_parameters(trace, all, *groups);
  if (names.empty()) return;
  /// No value, then numbers, then texts in order of their first run.
  using Place = std::pair<int, double>;
  std::vector<std::map<std::string, uint32_t>> first(names.size());
  for (const uint32_t number : *groups) {
    const ExperimentRun* run = run_of(trace, all[number]);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string* value = parameter_value(run, names[i]);
      if (value == nullptr) continue;
      const auto [found, added] = first[i].try_emplace(*value, run->index);
      if (!added) found->second = std::min(found->second, run->index);
    }
  }
  std::map<uint32_t, std::vector<Place>> point;
  for (const uint32_t number : *groups) {
    const ExperimentRun* run = run_of(trace, all[number]);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string* value = parameter_value(run, names[i]);
      Place place(0, 0);
      if (value != nullptr) {
        const auto known = parameter_number(*value);
        place = known ? Place(1, *known) : Place(2, first[i][*value]);
      }
      point[number].push_back(place);
    }
  }
  std::stable_sort(groups->begin(), groups->end(), [&](uint32_t a, uint32_t b) { return point[a] < point[b]; });
}

std::string point_without_batch(const Trace& trace, const EvaluationGroup& group) {
  const ExperimentRun* run = run_of(trace, group);
  if (run == nullptr) return {};
  ExperimentRun others;
  for (const auto& parameter : run->parameters) {
    if (!is_batch_parameter(parameter.first)) others.parameters.push_back(parameter);
  }
  return point_label(others);
}

}  // namespace xsp::analysis
