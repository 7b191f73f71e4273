#include "analysis/timeline/span_roles.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/timeline/input_shapes.h"
#include "analysis/timeline/kernel_scopes.h"
#include "analysis/timeline/layer_shapes.h"
#include "analysis/timeline/layer_spans.h"
#include "analysis/timeline/model_spans.h"
#include "analysis/timeline/mxnet_calls.h"
#include "analysis/timeline/mxnet_steps.h"
#include "analysis/timeline/operator_labels.h"
#include "analysis/timeline/outer_calls.h"
#include "analysis/timeline/profiler_work.h"
#include "analysis/timeline/range_roles.h"
#include "analysis/timeline/role_choices.h"
#include "analysis/timeline/step_phases.h"
#include "analysis/timeline/tensorflow_phases.h"
#include "analysis/timeline/training_evaluations.h"

namespace xsp::analysis {
namespace {

bool is_imported(const Trace& trace) {
  return std::any_of(trace.segments.begin(), trace.segments.end(),
                     [](const Segment& segment) { return !segment.source.empty(); });
}

/// Traces of XSP itself have the roles of all but ranges.
bool has_open_roles(const Trace& trace) {
  const SpanTable& spans = trace.spans;
  for (Row row = 0; row < spans.size(); ++row) {
    if (spans.level[row] != Level::kApplication) continue;
    switch (spans.kind[row]) {
      case Kind::kOperator:
      case Kind::kPythonFunction:
      case Kind::kAnnotation:
      case Kind::kTorchModule:
      case Kind::kTorchContainer:
      case Kind::kTorchRoot:
      case Kind::kTorchScript:
      case Kind::kTorchConstruction:
        return true;
      default:
        break;
    }
  }
  return false;
}

/// Stacks of Python functions are deep, and no table counts them: without them what surrounds a span is found faster.
void skip_python_functions(const Trace& trace, Parents* parents) {
  const SpanTable& spans = trace.spans;
  const auto is_skipped = [&](Row row) {
    return spans.kind[row] == Kind::kPythonFunction && spans.level[row] == Level::kApplication;
  };
  // Parents are recorded after their children, so theirs are known already.
  for (Row row = static_cast<Row>(spans.size()); row-- > 0;) {
    Row above = parents->of[row];
    for (int depth = 0; above != kNoRow && is_skipped(above) && depth < kMaxDepth; ++depth) above = parents->of[above];
    parents->of[row] = above;
  }
}

/// Runs of a set that stop at models see a call and nothing of what follows it: deeper runs are compared with them, so
/// an evaluation must mean the same in both.
void leave_runs_beside_shallow_ones(const Trace& trace, std::vector<bool>* processes) {
  std::set<std::string> sets;
  for (const Segment& segment : trace.segments) {
    if (segment.run && segment.requested_level == "model") sets.insert(segment.run->set);
  }
  for (uint32_t process = 0; process < processes->size(); ++process) {
    const Segment& segment = trace.segments[trace.processes[process].segment];
    if (segment.run && sets.contains(segment.run->set)) (*processes)[process] = false;
  }
}

/// Processes of imported profiles whose outermost modules are their models, as those that XSP saw called.
void add_imported_modules(const std::vector<ModelSource>& models, const Trace& trace, std::vector<bool>* processes) {
  for (Row row = 0; row < trace.spans.size(); ++row) {
    const uint32_t process = trace.process_of(row);
    if (trace.spans.kind[row] == Kind::kOperator && models[process] == ModelSource::kModules)
      (*processes)[process] = true;
  }
}

/// What operators tell of outermost calls, in processes that recorded them.
PhasesByModel find_phases(const std::vector<ModelSource>& models, Parents* parents, Trace* trace) {
  std::vector<bool> processes = processes_with_operators(*trace);
  add_imported_modules(models, *trace, &processes);
  if (std::find(processes.begin(), processes.end(), true) == processes.end()) return {};
  PhaseNames names(*trace);
  const OwnLayers own_layers = settle_outer_calls(processes, &names, parents, trace);
  leave_runs_beside_shallow_ones(*trace, &processes);
  return find_training_evaluations(processes, own_layers, &names, parents, trace);
}

std::string joined(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

std::string describe_models(const RoleChoice& choice, ModelSource source) {
  switch (source) {
    case ModelSource::kMatched:
      return "what matches " + choice.model_text;
    case ModelSource::kSteps:
      return "ProfilerStep annotations";
    case ModelSource::kModules:
      return "outermost modules";
    case ModelSource::kRecorded:
      return "runs marked by the profile";
    case ModelSource::kNone:
      break;
  }
  return {};
}

std::string describe_layers(const RoleChoice& choice, uint8_t source) {
  if ((source & kRangeLayers) != 0) return "ranges that match " + choice.layers_text.substr(5);
  if ((source & kModuleLayers) != 0) {
    const bool functional = (source & kOperatorLayers) != 0;
    return functional ? "modules without submodules, and operators called outside them" : "modules without submodules";
  }
  if ((source & kOperatorLayers) != 0) return "outermost operators";
  if ((source & kCallLayers) != 0) return "library calls";
  if ((source & kRecordedLayers) != 0) return "nodes and ranges marked by the profile";
  return {};
}

void describe(const Trace& trace, RoleChoices& choices, const std::vector<ModelSource>& models,
              const std::vector<std::string>& remarks, const std::vector<uint8_t>& layers, SpanRoles* roles) {
  std::set<std::string> of_models;
  std::set<std::string> of_layers;
  for (uint32_t process = 0; process < models.size(); ++process) {
    const RoleChoice& choice = choices.of(process);
    roles->chosen |= choice.is_chosen();
    // What XSP recorded has its roles, unless others were chosen.
    if (trace.segments[trace.processes[process].segment].source.empty() && !choice.is_chosen()) continue;
    of_models.insert(describe_models(choice, models[process]) + remarks[process]);
    of_layers.insert(describe_layers(choice, layers[process]));
  }
  of_models.erase("");
  of_layers.erase("");
  roles->models = joined(of_models);
  roles->layers = joined(of_layers);
}

/// Of the calls of graphs that XSP recorded: TensorFlow's and MXNet's.
void find_roles_in_graphs(bool joins, Parents* parents, Trace* trace, PhasesByModel* phases) {
  const auto& kinds = trace->spans.kind;
  if (std::find(kinds.begin(), kinds.end(), Kind::kRun) == kinds.end()) return;
  find_tensorflow_phases(*parents, *trace, phases);
  join_kernels_of_scopes(joins, parents, trace);
  name_mxnet_calls(*parents, trace);
  join_mxnet_steps(parents, trace, phases);
}

}  // namespace

Status assign_span_roles(const SpanRoleOptions& options, Parents* parents, Trace* trace, SpanRoles* roles) {
  assign_range_roles(*parents, trace);
  RoleChoices choices;
  if (Status status = read_role_choices(options, *trace, &choices); !status.ok()) return status;
  const bool wants_operators =
      std::any_of(choices.choices.begin(), choices.choices.end(),
                  [](const RoleChoice& choice) { return choice.layers == LayerChoice::kOperators; });
  find_roles_in_graphs(!wants_operators, parents, trace, &roles->phases);
  const bool chosen = std::any_of(choices.choices.begin(), choices.choices.end(),
                                  [](const RoleChoice& choice) { return choice.is_chosen(); });
  if (!chosen && !is_imported(*trace) && !has_open_roles(*trace)) return {};

  std::vector<std::string> remarks;
  const std::vector<ModelSource> models = find_model_spans(&choices, parents, trace, &remarks);
  leave_profiler_work(models, parents, trace, &remarks);
  roles->phases.merge(find_phases(models, parents, trace));
  skip_python_functions(*trace, parents);
  PhaseNames names(*trace);
  find_step_phases(models, *trace, *parents, &names, &roles->phases);
  const std::vector<uint8_t> layers = find_layer_spans(&choices, parents, trace);
  find_input_shapes(*parents, trace);
  find_layer_shapes(*parents, trace);
  label_operators(*parents, trace);
  describe(*trace, choices, models, remarks, layers, roles);
  return check_role_choices(choices, *trace);
}

}  // namespace xsp::analysis
