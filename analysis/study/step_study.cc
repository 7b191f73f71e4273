#include "analysis/study/step_study.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/iterations/busiest_process.h"
#include "analysis/steps/start_up.h"
#include "analysis/timeline/iteration_kind.h"

namespace xsp::analysis {
namespace {

const DeviceOrder& device_order(const Study& study) {
  if (!study.device_order) study.device_order = std::make_shared<const DeviceOrder>(study.trace);
  return *study.device_order;
}

TimedLevel kernel_level(const Study& study, const EvaluationGroup& group) {
  return time_level(study, group, study.latencies.has_kernels ? Level::kDevice : Level::kModel);
}

}  // namespace

StepPeriod step_period(const Study& study, const EvaluationGroup& group) {
  if (study.options.per_trace) return {};
  const auto [found, is_new] = study.step_periods.try_emplace(&group);
  if (is_new) {
    found->second = find_step_period(study.trace, study.evaluations, study.latencies, group,
                                     time_level(study, group, Level::kModel).by_run);
  }
  return found->second;
}

namespace {

/// Whether a program trains several models in turn: a generator and a discriminator, an encoder and a decoder. Its step
/// has calls of each.
bool is_part_of_step(const Study& study, const EvaluationGroup& group) {
  if (group.phases.mode != Mode::kTraining || group.kind == Kind::kAnnotation) return false;
  constexpr size_t kSeldom = 4;
  return std::any_of(study.evaluations.groups.begin(), study.evaluations.groups.end(), [&](const auto& other) {
    const bool is_other = other.model != group.model || other.scope != group.scope;
    return is_other && other.process == group.process && other.phases.mode == Mode::kTraining &&
           other.kind == group.kind && kSeldom * other.evaluations.size() >= group.evaluations.size();
  });
}

}  // namespace

std::string_view evaluation_noun(const Study& study, const EvaluationGroup& group) {
  if (group.kind == kIterationKind) {
    return study.trace.text(group.model).starts_with(kBlockOf) ? "block" : "iteration";
  }
  const bool is_step = step_period(study, group).of == ThroughputOf::kPeriod && !is_part_of_step(study, group);
  return is_step ? "step" : "call";
}

std::string_view subject_noun(const Study& study) {
  return study.subject ? evaluation_noun(study, study.evaluations.groups[*study.subject]) : "call";
}

double step_ns(const Study& study, const EvaluationGroup& group) {
  if (study.options.per_trace) return total_latency_ns(study, group);
  const StepPeriod period = step_period(study, group);
  const bool is_period = period.of == ThroughputOf::kPeriod && period.ns;
  if (is_period && !study.trace.executions.row.empty()) return *period.ns;
  const double latency = joined_model_latency(study, used_evaluations(study, group));
  constexpr double kVaries = 1.1;
  return is_period && latency < kVaries * *period.ns ? *period.ns : latency;
}

StepBreakdown step_breakdown(const Study& study, const EvaluationGroup& group) {
  const TimedLevel level = kernel_level(study, group);
  const ThroughputOf of = step_period(study, group).of;
  std::vector<StepWindows> windows;
  for (const auto& run : level.by_run) {
    windows.push_back(find_step_windows(study.trace, study.evaluations, study.latencies, run, of));
  }
  return break_down_steps(study.trace, study.executions, device_order(study), study.waits, windows);
}

const StepBreakdown& subject_breakdown(const Study& study) {
  if (!study.breakdown) {
    study.breakdown = std::make_shared<const StepBreakdown>(
        study.subject ? step_breakdown(study, study.evaluations.groups[*study.subject]) : StepBreakdown());
  }
  return *study.breakdown;
}

double time_of_step(const Study& study, std::vector<double> values) {
  if (values.empty()) return 0;
  if (study.has_single_calls()) return std::accumulate(values.begin(), values.end(), 0.0);
  return evaluate(study.options.statistic, values);
}

double wait_of_step(const Study& study, const std::vector<double>& waits) {
  if (waits.empty() || study.has_single_calls()) return time_of_step(study, waits);
  const double mean = std::accumulate(waits.begin(), waits.end(), 0.0) / static_cast<double>(waits.size());
  return std::max(mean, time_of_step(study, waits));
}

StepBreakdown recording_breakdown(const Study& study, uint32_t process) {
  const DeviceOrder& order = device_order(study);
  if (order.devices_of(process).empty()) return {};
  StepWindows windows{.process = process};
  const TimeInterval used = order.used(process);
  if (used.begin >= used.end) return {};
  const TimeIntervals start_up = find_start_up(study.trace, study.evaluations, process).intervals;
  windows.windows = without({used}, start_up);
  windows.on_host = windows.windows;
  StepBreakdown steps = break_down_steps(study.trace, study.executions, order, study.waits, {std::move(windows)});
  steps.start_up_ns = length_of(start_up);
  const TimeInterval recorded = order.recorded(process);
  steps.recorded_ns = recorded.end - recorded.begin;
  return steps;
}

std::optional<uint32_t> busiest_process_under_study(const Study& study) {
  std::vector<uint32_t> processes;
  for (uint32_t i = 0; i < study.trace.processes.size(); ++i) {
    if (is_process_under_study(study, i)) processes.push_back(i);
  }
  return busiest_process(study.trace, study.evaluations, processes);
}

bool has_enough_kernels(double kernels, double kernel_ms) { return kernels >= 16 || kernel_ms >= 1; }

bool knows_waits(const Study& study) { return !study.waits.of_layer_ns.empty() || !study.latencies.layers.empty(); }

}  // namespace xsp::analysis
