#include <algorithm>

#include "analysis/compare/compared_rows.h"
#include "analysis/compare/comparison_tables.h"
#include "analysis/compare/model_match.h"
#include "analysis/study/process_labels.h"
#include "analysis/tables/confidence.h"
#include "analysis/tables/model_sweeps.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

struct ModelComparison : ComparisonTable {
  ColumnDefinition input{this, columns::kInput};
  ColumnDefinition base_throughput_per_s{
      this, {"base_throughput_per_s", "1/s", "Inputs per second in BASE", "", "M", kSource}};
  ColumnDefinition new_throughput_per_s{this,
                                        {"new_throughput_per_s", "1/s", "Inputs per second in NEW", "", "M", kSource}};
  ColumnDefinition base_process{this, {"base_process", "", "Process or runs of BASE", "", "M", kSource}};
  ColumnDefinition new_process{this, {"new_process", "", "Process or runs of NEW", "", "M", kSource}};
};
constexpr ModelComparison kModels;

/// Name, and what else tells a row from its neighbours.
std::string label_of(const Study& study, const EvaluationGroup& group) {
  std::string label = model_label(study.trace, group);
  const std::string point = group_point(study.trace, group);
  return point.empty() ? label : label + ", " + point;
}

Cell throughput(const Study& study, const EvaluationGroup& group, const GroupLatency& latency) {
  return cell(latency.throughput_per_s(inputs_of(study, group, latency.n)));
}

/// "Net [4,3], Net [8,3]".
std::string list_of(const Study& study) {
  constexpr size_t kListed = 5;
  std::string list;
  for (size_t i = 0; i < std::min(study.groups.size(), kListed); ++i) {
    const EvaluationGroup& group = study.evaluations.groups[study.groups[i]];
    list += (i == 0 ? "" : ", ") + label_of(study, group);
    if (group.input != 0) list.append(" ").append(study.trace.text(group.input));
  }
  if (study.groups.size() > kListed) list += ", …";
  return list.empty() ? "none" : list;
}

}  // namespace

Table compare_models(const Comparison& comparison) {
  const Study& base = comparison.base;
  const Study& fresh = comparison.fresh;
  std::vector<ComparedRow> rows;
  bool any_same = false;
  for (const AlignedPlace& model : comparison.models) {
    ComparedRow& row = rows.emplace_back();
    row.how = model.how;
    any_same |= model.how == Alignment::kSame;
    const auto add = [&](const Study& study, uint32_t place, double* ns, RunValues* samples,
                         const ColumnDefinition& throughput_per_s, const ColumnDefinition& process) {
      if (place == kNoPlace) return;
      const EvaluationGroup& group = study.evaluations.groups[study.groups[place]];
      const GroupLatency latency = latency_of(study, group);
      *ns = latency.ns;
      *samples = latencies_by_run(study, group);
      row.what = label_of(study, group);
      row.set(kModels.input, group.input == 0 ? Cell() : Cell(std::string(study.trace.text(group.input))));
      row.set(throughput_per_s, throughput(study, group, latency));
      row.set(process, process_label(study.trace, group));
    };
    add(base, model.a, &row.base_ns, &row.base, kModels.base_throughput_per_s, kModels.base_process);
    add(fresh, model.b, &row.fresh_ns, &row.fresh, kModels.new_throughput_per_s, kModels.new_process);
  }
  Table table = comparison_table(comparison, kModels, std::move(rows));
  table.notes.insert(table.notes.begin(), base.options.statistic.description() + " of the latency of a call or step");
  if (!any_same && !comparison.models.empty()) {
    table.notes.insert(table.notes.begin(),
                       "BASE and NEW have no model in common (by name, input shapes and sweep point): BASE has " +
                           list_of(base) + "; NEW has " + list_of(fresh));
  }
  return table;
}

}  // namespace xsp::analysis
