#include "analysis/tables/analysed_trace.h"

#include "analysis/experiment/merged_runs.h"
#include "analysis/experiment/resolved_parents.h"
#include "analysis/metrics/metric_source.h"
#include "analysis/trace/untimed_segments.h"

namespace xsp::analysis {

Status analyse(const SpanRoleOptions& role_options, const StudyOptions& options, AnalysedTrace* analysed) {
  auto& [trace, parents, evaluations, executions, study] = *analysed;
  leave_out_spans(is_counted, &trace);
  parents = find_resolved_parents(&trace);
  SpanRoles roles;
  if (Status status = assign_span_roles(role_options, &parents, &trace, &roles); !status.ok()) return status;
  evaluations = find_evaluations(trace, parents, roles.phases);
  // Totals are of what was recorded: each run for itself.
  if (!options.per_trace) merge_runs(trace, &evaluations);
  executions = place_executions(trace, parents, evaluations);
  CounterJoin counters;
  Metrics metrics = make_metrics(trace, parents, executions, &counters);
  Status status = make_study(trace, parents, evaluations, executions, options, &study, std::move(metrics));
  if (!status.ok()) return status;
  study->roles = std::move(roles);
  study->counters = std::move(counters);
  return status;
}

}  // namespace xsp::analysis
