#include "analysis/tables/analysed_trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/experiment/merged_runs.h"
#include "analysis/experiment/resolved_parents.h"
#include "analysis/iterations/iteration_spans.h"
#include "analysis/metrics/metric_source.h"
#include "analysis/tables/iteration_study.h"
#include "analysis/timeline/input_shapes.h"
#include "analysis/timeline/iteration_placement.h"
#include "analysis/timeline/role_choices.h"
#include "analysis/trace/untimed_segments.h"

namespace xsp::analysis {

namespace {

/// Of a loop whose first operator does not tell the shapes of its inputs in every iteration: those of the others, if
/// these agree.
void share_input_shapes(const IterationSpans& iterations, Trace* trace) {
  SpanTable& spans = trace->spans;
  std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> shapes;  // by process and loop
  const auto loop_of = [&](Row row) { return std::pair(trace->process_of(row), spans.name[row]); };
  for (const Row row : iterations.rows) {
    if (spans.input[row] != 0) shapes[loop_of(row)].insert(spans.input[row]);
  }
  for (const Row row : iterations.rows) {
    const auto found = shapes.find(loop_of(row));
    if (found != shapes.end() && found->second.size() == 1) spans.input[row] = *found->second.begin();
  }
}

/// Makes the iterations of processes their evaluations (--model-span iterations).
Status take_iterations(const std::vector<bool>& processes, const MiningOptions& options, AnalysedTrace* analysed,
                       SpanRoles* roles, std::vector<FoundIterations>* found, IterationSpans* added) {
  Trace& trace = analysed->trace;
  const Evaluations evaluations = find_evaluations(trace, analysed->parents);  // for their layers
  std::string why_none = "nothing that could repeat was recorded";
  for (uint32_t process = 0; process < trace.processes.size(); ++process) {
    if (!processes[process]) continue;
    FoundIterations of_process = find_iterations(trace, evaluations, process, options);
    if (of_process.operations.size() == 0) continue;
    if (of_process.outermost()) {
      found->push_back(std::move(of_process));
    } else {
      why_none = of_process.loops.why_none;
    }
  }
  if (found->empty()) {
    return {"--model-span iterations finds no loop (" + why_none + ")",
            "give a regular expression of the names of spans that are evaluations, or --per trace without it"};
  }
  *added = add_iteration_spans(*found, &analysed->parents, &trace);
  find_input_shapes(analysed->parents, &trace);
  share_input_shapes(*added, &trace);
  roles->models = "iterations that operations repeat in (D1)";
  roles->chosen = true;
  return {};
}

}  // namespace

Status analyse(const SpanRoleOptions& role_options, const StudyOptions& options, AnalysedTrace* analysed) {
  auto& [trace, parents, evaluations, executions, study] = *analysed;
  leave_out_spans(is_counted, &trace);
  parents = find_resolved_parents(&trace);
  SpanRoles roles;
  if (Status status = assign_span_roles(role_options, &parents, &trace, &roles); !status.ok()) return status;
  IterationSpans iterations;
  std::vector<FoundIterations> found;
  const std::vector<bool> processes = takes_iterations(role_options, trace);
  if (std::find(processes.begin(), processes.end(), true) != processes.end()) {
    Status status = take_iterations(processes, options.mining, analysed, &roles, &found, &iterations);
    if (!status.ok()) return status;
  }
  evaluations = find_evaluations(trace, parents, roles.phases);
  // Totals are of what was recorded: each run for itself.
  if (!options.per_trace) merge_runs(trace, &evaluations);
  executions = place_executions(trace, parents, evaluations, iterations.of_execution);
  CounterJoin counters;
  Metrics metrics = make_metrics(trace, parents, executions, &counters);
  Status status = make_study(trace, parents, evaluations, executions, options, &study, std::move(metrics));
  if (!status.ok()) return status;
  study->roles = std::move(roles);
  study->counters = std::move(counters);
  for (FoundIterations& of_process : found) {
    if (of_process.operations.process == iteration_process(*study)) study->iterations = std::move(of_process);
  }
  return status;
}

}  // namespace xsp::analysis
