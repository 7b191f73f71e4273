#include "analysis/tables/model_sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "analysis/study/merged_runs.h"
#include "analysis/study/step_study.h"
#include "analysis/study/sweep_points.h"
#include "analysis/timeline/evaluation_threads.h"
#include "analysis/timeline/run_processes.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// Device indices of one process that ran something for an evaluation.
std::set<uint32_t> devices_used(const Study& study, const EvaluationGroup& group) {
  std::set<uint32_t> used;
  const Executions& executions = study.executions;
  if (executions.placed.empty()) return used;
  for (const uint32_t evaluation : group.evaluations) {
    for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
      const uint32_t execution = executions.in_evaluation[i];
      if (!is_work(study.trace.spans.kind[study.trace.executions.row[execution]])) continue;
      used.insert(study.trace.queues[study.trace.executions.queue[execution]].device);
    }
  }
  return used;
}

/// Shapes of what a model gets at any batch size. Where the batch size of the sweep is not the first dimension it may
/// be any of them.
std::string shapes_of_sweep(const Study& study, const EvaluationGroup& group) {
  const std::string_view shapes = study.trace.text(group.input);
  if (inputs_per_evaluation(study, group).by == EvaluationInputs::By::kShape) return shapes_of_any_batch(shapes);
  const auto& parameter = inputs_per_evaluation(study, group).parameter;
  if (!parameter || parameter == group.batch_size) return shapes_of_any_batch(shapes);
  std::string any;
  for (const char c : shapes) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) {
      any += c;
    } else if (any.empty() || any.back() != '?') {
      any += '?';
    }
  }
  return any;
}

/// The phases that most evaluations of a sweep have.
EvaluationPhases::Kinds usual_phases(const Study& study, const ModelSweep& sweep) {
  std::map<EvaluationPhases::Kinds, size_t> counts;
  for (const uint32_t number : sweep.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    counts[group.phases] += group.evaluations.size();
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? EvaluationPhases::Kinds() : most->first;
}

}  // namespace

bool has_failed(const Trace& trace, const EvaluationGroup& group) {
  return std::all_of(group.runs.begin(), group.runs.end(), [&](const GroupRun& of_group) {
    const ExperimentRun* run = run_of(trace, of_group.process);
    return run != nullptr && run->failed;
  });
}

bool is_at_another_point(const ModelSweep& a, const ModelSweep& b) {
  ModelSweep there = a;
  there.point = b.point;
  return a.point != b.point && a.mode == b.mode && is_of_same_model(there, b);
}

bool is_of_same_model(const ModelSweep& a, const ModelSweep& b) {
  return a.point == b.point && a.set == b.set && a.name == b.name && a.input == b.input && a.system == b.system &&
         a.rank == b.rank && a.source == b.source;
}

std::string sweep_label(const ModelSweep& sweep) {
  std::string label = sweep.input.empty() ? sweep.name : sweep.name + ", input " + sweep.input;
  if (!sweep.point.empty()) label += ", " + sweep.point;
  return label;
}

std::optional<double> GroupLatency::throughput_per_s(const std::optional<double>& inputs) const {
  const std::optional<double> each = throughput_ns();
  if (!inputs || !each || !(*each > 0)) return {};
  return *inputs / *each * kNsPerSecond;
}

GroupLatency latency_of(const Study& study, const EvaluationGroup& group) {
  const auto used = used_evaluations(study, group);
  auto latencies = evaluation_latencies(study, used);
  GroupLatency latency;
  latency.n = used.size();
  latency.ns = study.options.per_trace ? std::accumulate(latencies.begin(), latencies.end(), 0.0)
                                       : evaluate(study.options.statistic, latencies);
  latency.spread_ns = interquartile_range(latencies);
  latency.period = step_period(study, group);
  return latency;
}

const EvaluationInputs& inputs_per_evaluation(const Study& study, const EvaluationGroup& group) {
  return study.inputs[static_cast<size_t>(&group - study.evaluations.groups.data())];
}

Cell batch_size_cell(const Study& study, const EvaluationGroup& group) {
  const auto& inputs = inputs_per_evaluation(study, group).count;
  if (!inputs) return {};
  constexpr double kExact = 1e15;
  return *inputs == std::floor(*inputs) && *inputs < kExact ? Cell(static_cast<int64_t>(*inputs)) : Cell(*inputs);
}

std::optional<double> inputs_of(const Study& study, const EvaluationGroup& group, size_t n) {
  const auto& inputs = inputs_per_evaluation(study, group).count;
  if (!inputs) return {};
  return study.options.per_trace ? *inputs * static_cast<double>(n) : *inputs;
}

std::string gpus_of(const Study& study, const EvaluationGroup& group) {
  const std::set<uint32_t> used = devices_used(study, group);
  // A profile describes all devices of its machine.
  const bool is_imported = !study.trace.segments[study.trace.processes[group.process].segment].source.empty();
  std::map<std::string, std::set<uint32_t>> indices;
  for (const Device& device : study.trace.devices) {
    const bool is_own = std::any_of(group.runs.begin(), group.runs.end(),
                                    [&](const GroupRun& run) { return run.process == device.process; });
    if (!is_own || device.name.empty()) continue;
    if ((used.empty() && !is_imported) || used.contains(device.index)) indices[device.name].insert(device.index);
  }
  std::string list;
  for (const auto& [name, of_name] : indices) {
    if (!list.empty()) list += ", ";
    list += of_name.size() == 1 ? name : fmt::format("{} × {}", of_name.size(), name);
  }
  return list;
}

/// The framework that computed the model, or what recorded it where that is not known.
std::string framework_of(const Trace& trace, const Evaluations& evaluations, const EvaluationGroup& group) {
  const std::string& source = trace.segments[trace.processes[group.process].segment].source;
  if (!source.empty()) return source;
  if (group.kind == Kind::kTorchRoot) return "PyTorch";
  if (group.kind == Kind::kOrtRun) return "ONNX Runtime";
  const std::string_view type = trace.text(trace.spans.type[evaluations.root[group.evaluations.front()]]);
  for (const std::string_view framework : {"TensorFlow", "MXNet"}) {
    if (type.starts_with(framework)) return std::string(framework);
  }
  return "xsp";
}

std::vector<ModelSweep> model_sweeps(const Study& study) {
  const Trace& trace = study.trace;
  std::vector<ModelSweep> sweeps;
  using Key = std::tuple<uint32_t, uint32_t, std::string, std::string, std::string, std::string, std::string,
                         std::string, Mode, EvaluationThreads>;
  std::map<Key, size_t> numbers;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const Process& process = trace.processes[group.process];
    const std::string* rank = process.variable("RANK");
    ModelSweep sweep{.name = model_label(trace, group),
                     .system = gpus_of(study, group),
                     .rank = rank == nullptr ? "" : *rank,
                     .source = framework_of(trace, study.evaluations, group),
                     .input = shapes_of_sweep(study, group),
                     .point = point_without_batch(trace, group),
                     .set = "",
                     .mode = group.phases.mode};
    if (const std::string threads = threads_text(group.threads); !threads.empty()) {
      sweep.point += (sweep.point.empty() ? "" : " ") + threads;
    }
    const ExperimentRun* run = run_of(trace, group);
    if (run != nullptr && !run->parameters.empty()) sweep.set = run->set;
    const uint32_t scope = group.kind == Kind::kOrtRun ? 0 : group.scope;
    Key key(group.model, scope, sweep.input, sweep.system, sweep.rank, sweep.source, sweep.point, sweep.set, sweep.mode,
            group.threads);
    const auto [found, added] = numbers.try_emplace(std::move(key), sweeps.size());
    if (added) sweeps.push_back(std::move(sweep));
    sweeps[found->second].groups.push_back(number);
  }
  return sweeps;
}

std::vector<SweptBatch> swept_batches(const Study& study, const ModelSweep& sweep) {
  std::map<int64_t, SweptBatch> by_batch;
  const EvaluationPhases::Kinds phases = usual_phases(study, sweep);
  for (const uint32_t number : sweep.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    if (group.phases != phases) continue;
    const auto size = inputs_per_evaluation(study, group).batch();
    if (!size || has_failed(study.trace, group)) continue;
    const GroupLatency latency = latency_of(study, group);
    const auto throughput = latency.throughput_per_s(inputs_of(study, group, latency.n));
    if (!(latency.ns > 0) || !throughput) continue;
    SweptBatch& batch = by_batch[*size];
    if (latency.n <= batch.n) continue;
    batch = {{*size, latency.ns / kNsPerMs, *throughput}, number, latency.n};
  }
  std::vector<SweptBatch> batches;
  for (const auto& [size, batch] : by_batch) {
    if (batch.n != 0) batches.push_back(batch);
  }
  return batches;
}

}  // namespace xsp::analysis
