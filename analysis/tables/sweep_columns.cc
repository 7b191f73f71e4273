#include "analysis/tables/sweep_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "analysis/study/merged_runs.h"
#include "analysis/study/sweep_points.h"
#include "analysis/tables/model_information.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// The number that a text is, where nothing of the text gets lost: not "007" and "0.10".
Cell number_cell(const std::string& text) {
  int64_t integer = 0;
  const char* const end = text.data() + text.size();
  const auto [read, failure] = std::from_chars(text.data(), end, integer);
  if (failure == std::errc() && read == end) return std::to_string(integer) == text ? Cell(integer) : Cell();
  const auto number = parameter_number(text);
  return number && fmt::format("{}", *number) == text ? Cell(*number) : Cell();
}

}  // namespace

SweepColumns::SweepColumns(const Study& study) : study_(study) {
  const auto& all = study.evaluations.groups;
  for (std::string& name : sweep_parameters(study.trace, all, study.groups)) parameters_.push_back({std::move(name)});
  for (Parameter& parameter : parameters_) {
    for (const uint32_t number : study.groups) {
      const std::string* value = parameter_value(run_of(study.trace, all[number]), parameter.name);
      if (value != nullptr && is_null(number_cell(*value))) parameter.numeric = false;
    }
  }
}

void SweepColumns::append_columns(Table* table) {
  // These are there for some traces only; a parameter has the same name with and without them.
  constexpr std::array kSometimes = {kA1.host_ms.name, kA1.gpu.name};
  for (Parameter& parameter : parameters_) {
    std::string name = printable(parameter.name);
    const auto is_taken = [&] {
      return std::find(kSometimes.begin(), kSometimes.end(), name) != kSometimes.end() ||
             std::any_of(table->columns.begin(), table->columns.end(),
                         [&](const Column& column) { return column.name == name; });
    };
    while (is_taken()) name.insert(0, "parameter_");
    parameter.place = append_column({std::move(name), ""}, table);
  }
}

void SweepColumns::set_cells(const EvaluationGroup* group, size_t row, Table* table) const {
  if (group == nullptr) return;
  for (const Parameter& parameter : parameters_) {
    const std::string* value = parameter_value(run_of(study_.trace, *group), parameter.name);
    if (value == nullptr) continue;
    table->rows[row][parameter.place] = parameter.numeric ? number_cell(*value) : Cell(*value);
  }
}

}  // namespace xsp::analysis
