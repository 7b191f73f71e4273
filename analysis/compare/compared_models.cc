#include <algorithm>

#include "analysis/compare/compared_rows.h"
#include "analysis/compare/comparison_tables.h"
#include "analysis/study/merged_runs.h"
#include "analysis/study/process_labels.h"
#include "analysis/tables/confidence.h"
#include "analysis/tables/model_sweeps.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Name, and what else tells a row from its neighbours.
std::string label_of(const Study& study, const EvaluationGroup& group) {
  std::string label = model_label(study.trace, group);
  const auto& run = study.trace.segments[study.trace.processes[group.process].segment].run;
  const std::string point = run ? point_label(*run) : "";
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
    Cell input;
    std::vector<Cell> throughputs(2);
    std::vector<Cell> processes(2);
    const auto add = [&](const Study& study, uint32_t place, size_t side, double* ns, RunValues* samples) {
      if (place == kNoPlace) return;
      const EvaluationGroup& group = study.evaluations.groups[study.groups[place]];
      const GroupLatency latency = latency_of(study, group);
      *ns = latency.ns;
      *samples = latencies_by_run(study, group);
      row.what = label_of(study, group);
      input = group.input == 0 ? Cell() : Cell(std::string(study.trace.text(group.input)));
      throughputs[side] = throughput(study, group, latency);
      processes[side] = process_label(study.trace, group);
    };
    add(base, model.a, 0, &row.base_ns, &row.base);
    add(fresh, model.b, 1, &row.fresh_ns, &row.fresh);
    row.further = {input, throughputs[0], throughputs[1], processes[0], processes[1]};
  }
  Table table = comparison_table(comparison, std::move(rows),
                                 {{"input", ""},
                                  {"base_throughput_per_s", "1/s"},
                                  {"new_throughput_per_s", "1/s"},
                                  {"base_process", ""},
                                  {"new_process", ""}});
  table.notes.insert(table.notes.begin(), base.options.statistic.description() + " of the latency of a batch");
  if (!any_same && !comparison.models.empty()) {
    table.notes.insert(table.notes.begin(),
                       "no model of one is in the other (name, input shapes and point of the sweep are compared): BASE "
                       "has " +
                           list_of(base) + "; NEW has " + list_of(fresh));
  }
  return table;
}

}  // namespace xsp::analysis
