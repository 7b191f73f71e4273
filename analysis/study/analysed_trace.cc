#include "analysis/study/analysed_trace.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/busiest_process.h"
#include "analysis/iterations/iteration_spans.h"
#include "analysis/study/iteration_study.h"
#include "analysis/study/merged_runs.h"
#include "analysis/study/resolved_parents.h"
#include "analysis/timeline/input_shapes.h"
#include "analysis/timeline/role_choices.h"
#include "analysis/trace/untimed_segments.h"
#include "analysis/work/metric_source.h"

namespace xsp::analysis {

namespace {

/// For iterations whose first operator does not tell the shapes of its inputs: those of the loop's other iterations, if
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

/// Loops of processes, and the spans that their iterations became.
struct TakenIterations {
  std::vector<FoundIterations> found;
  IterationSpans spans;
};

void add_spans(LoopChoice choice, AnalysedTrace* analysed, TakenIterations* taken) {
  taken->spans = add_iteration_spans(taken->found, choice, &analysed->parents, &analysed->trace);
  find_input_shapes(analysed->parents, &analysed->trace);
  share_input_shapes(taken->spans, &analysed->trace);
}

/// Makes the iterations of processes their evaluations (--model-span iterations).
Status take_iterations(const std::vector<bool>& processes, const MiningOptions& options, AnalysedTrace* analysed,
                       SpanRoles* roles, TakenIterations* taken) {
  Trace& trace = analysed->trace;
  const Evaluations evaluations = find_evaluations(trace, analysed->parents);  // for their layers
  std::string why_none = "no operations were recorded";
  for (uint32_t process = 0; process < trace.processes.size(); ++process) {
    if (!processes[process]) continue;
    FoundIterations of_process = find_iterations(trace, analysed->parents, evaluations, process, options);
    if (of_process.operations.size() == 0) continue;
    if (of_process.outermost()) {
      taken->found.push_back(std::move(of_process));
    } else {
      why_none = of_process.loops.why_none;
    }
  }
  if (taken->found.empty()) {
    return {"--model-span iterations finds no loop (" + why_none + ")",
            "give a regular expression for the names of spans that count as steps, or use --per trace without it"};
  }
  add_spans(LoopChoice::kAll, analysed, taken);
  roles->models = "iterations found in the operations (D1)";
  roles->chosen = true;
  return {};
}

/// Processes that may do the same over and over: those that used a device, else the one that did most.
std::vector<uint32_t> looping_processes(const AnalysedTrace& analysed) {
  const Trace& trace = analysed.trace;
  std::vector<uint32_t> all(trace.processes.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<uint32_t> with_device = processes_of_device(trace, all);
  if (!with_device.empty()) return with_device;
  const auto busiest = busiest_process(trace, analysed.evaluations, all);
  return busiest ? std::vector{*busiest} : std::vector<uint32_t>();
}

/// If nothing is known to be an evaluation, the iterations of the loop that a process runs in are used, so that tables
/// are of the steady state. What was mined is kept in any case: D1 to D4 show it.
void take_steady_state(const MiningOptions& options, AnalysedTrace* analysed, SpanRoles* roles,
                       TakenIterations* taken) {
  for (const uint32_t process : looping_processes(*analysed)) {
    taken->found.push_back(
        find_iterations(analysed->trace, analysed->parents, analysed->evaluations, process, options));
  }
  const auto steps = [](const FoundIterations& found) {
    uint64_t count = 0;
    for (uint32_t loop = 0; loop < found.loops.loops.size(); ++loop) {
      count += found.has_steps(loop) ? found.loops.loops[loop].iterations.size() : 0;
    }
    return count;
  };
  for (const FoundIterations& found : taken->found) roles->iterations += steps(found);
  if (roles->iterations != 0) add_spans(LoopChoice::kSteps, analysed, taken);
}

/// Runs of a set are compared with each other, but each would have iterations of its own.
bool is_set(const Trace& trace) {
  return std::any_of(trace.segments.begin(), trace.segments.end(),
                     [](const Segment& segment) { return segment.run.has_value(); });
}

}  // namespace

Status analyse(const SpanRoleOptions& role_options, const StudyOptions& options, AnalysedTrace* analysed) {
  auto& [trace, parents, evaluations, executions, study] = *analysed;

  // Runs that read hardware counters were slowed by it. Their counters are kept, their spans must be gone before
  // anything is timed.
  leave_out_spans(is_counted, &trace);

  // Parents first: every later pass asks what lies inside what. A serialised run of the set settles the doubtful ones.
  parents = find_resolved_parents(&trace);

  // What is a model and what is a layer, as the options say or as the trace shows. Rewrites levels of rows, so nothing
  // may have looked at levels before, and a wrong option ends here.
  SpanRoles roles;
  if (Status status = assign_span_roles(role_options, &parents, &trace, &roles); !status.ok()) return status;

  // --model-span iterations: iterations are found among operations and become spans of their own, which must exist
  // before evaluations are counted.
  TakenIterations taken;
  const std::vector<bool> processes = takes_iterations(role_options, trace);
  if (std::find(processes.begin(), processes.end(), true) != processes.end()) {
    Status status = take_iterations(processes, options.mining, analysed, &roles, &taken);
    if (!status.ok()) return status;
  }
  evaluations = find_evaluations(trace, parents, roles.phases);

  // Nothing is marked as a model: the steady state of the program's own loop stands in. Not in a set, whose runs would
  // each have a loop of their own, and not where totals were asked for.
  if (evaluations.root.empty() && evaluations.failed.empty() && !options.per_trace && !is_set(trace)) {
    take_steady_state(options.mining, analysed, &roles, &taken);
    if (roles.iterations != 0) evaluations = find_evaluations(trace, parents, roles.phases);
  }

  // Runs of one command are one model with more evaluations. Totals are of what was recorded: each run for itself.
  if (!options.per_trace) merge_runs(trace, &evaluations);

  // With evaluations final, each kernel finds its launch, layer and evaluation, and then what it computed: metrics read
  // the call that a kernel was placed in.
  executions = place_executions(trace, parents, evaluations, taken.spans.of_execution);
  CounterJoin counters;
  Metrics metrics = make_metrics(trace, parents, executions, &counters);

  Status status = make_study(trace, parents, evaluations, executions, options, &study, std::move(metrics));
  if (!status.ok()) return status;
  study->roles = std::move(roles);
  study->counters = std::move(counters);

  // Mining is dear: loops that were found above are the ones that D1 to D4 show.
  for (FoundIterations& of_process : taken.found) {
    if (of_process.operations.process == iteration_process(*study)) study->iterations = std::move(of_process);
  }
  return status;
}

}  // namespace xsp::analysis
