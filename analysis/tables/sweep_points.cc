#include "analysis/tables/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/experiment/merged_runs.h"
#include "analysis/render/text_encoding.h"
#include "analysis/tables/evaluation_inputs.h"

namespace xsp::analysis {
namespace {

/// A sweep has few parameters; damaged input must not make tables wide without end.
constexpr size_t kMaxParameters = 16;

const std::string* value_of(const ExperimentRun* run, const std::string& name) {
  if (run == nullptr) return nullptr;
  for (const auto& [parameter, value] : run->parameters) {
    if (parameter == name) return &value;
  }
  return nullptr;
}

std::optional<double> number_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || read != end || !std::isfinite(number)) return {};
  return number;
}

/// The number that a text is, where nothing of the text gets lost: not "007" and "0.10".
Cell number_cell(const std::string& text) {
  int64_t integer = 0;
  const char* const end = text.data() + text.size();
  const auto [read, failure] = std::from_chars(text.data(), end, integer);
  if (failure == std::errc() && read == end) return std::to_string(integer) == text ? Cell(integer) : Cell();
  const auto number = number_of(text);
  return number && fmt::format("{}", *number) == text ? Cell(*number) : Cell();
}

/// Names in the order in which they come first.
std::vector<std::string> parameters_of(const Trace& trace, const std::vector<EvaluationGroup>& all,
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

}  // namespace

void sort_by_point(const Trace& trace, const std::vector<EvaluationGroup>& all, std::vector<uint32_t>* groups) {
  const auto names = parameters_of(trace, all, *groups);
  if (names.empty()) return;
  /// No value, then numbers, then texts in order of their first run.
  using Place = std::pair<int, double>;
  std::vector<std::map<std::string, uint32_t>> first(names.size());
  for (const uint32_t number : *groups) {
    const ExperimentRun* run = run_of(trace, all[number]);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string* value = value_of(run, names[i]);
      if (value == nullptr) continue;
      const auto [found, added] = first[i].try_emplace(*value, run->index);
      if (!added) found->second = std::min(found->second, run->index);
    }
  }
  std::map<uint32_t, std::vector<Place>> point;
  for (const uint32_t number : *groups) {
    const ExperimentRun* run = run_of(trace, all[number]);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string* value = value_of(run, names[i]);
      Place place(0, 0);
      if (value != nullptr) {
        const auto known = number_of(*value);
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

SweepColumns::SweepColumns(const Study& study) : study_(study) {
  const auto& all = study.evaluations.groups;
  for (std::string& name : parameters_of(study.trace, all, study.groups)) parameters_.push_back({std::move(name)});
  for (Parameter& parameter : parameters_) {
    for (const uint32_t number : study.groups) {
      const std::string* value = value_of(run_of(study.trace, all[number]), parameter.name);
      if (value != nullptr && is_null(number_cell(*value))) parameter.numeric = false;
    }
  }
}

void SweepColumns::append_columns(std::vector<Column>* columns) const {
  // These are there for some traces only; a parameter has the same name with and without them.
  constexpr std::array kSometimes = {"host_ms", "gpu"};
  for (const Parameter& parameter : parameters_) {
    std::string name = printable(parameter.name);
    const auto is_taken = [&] {
      return std::find(kSometimes.begin(), kSometimes.end(), name) != kSometimes.end() ||
             std::any_of(columns->begin(), columns->end(), [&](const Column& column) { return column.name == name; });
    };
    while (is_taken()) name.insert(0, "parameter_");
    columns->push_back({std::move(name), ""});
  }
}

void SweepColumns::append_cells(const EvaluationGroup* group, std::vector<Cell>* row) const {
  for (const Parameter& parameter : parameters_) {
    const std::string* value = group == nullptr ? nullptr : value_of(run_of(study_.trace, *group), parameter.name);
    if (value == nullptr) {
      row->emplace_back();
    } else {
      row->push_back(parameter.numeric ? number_cell(*value) : Cell(*value));
    }
  }
}

}  // namespace xsp::analysis
