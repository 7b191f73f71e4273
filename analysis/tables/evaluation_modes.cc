#include "analysis/tables/evaluation_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/study/study.h"
#include "analysis/tables/model_information.h"
#include "analysis/tables/table.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

Cell phase_cell(const Study& study, const EvaluationGroup& group, int64_t EvaluationPhases::*phase) {
  std::vector<double> values;
  for (const uint32_t evaluation : used_evaluations(study, group)) {
    values.push_back(static_cast<double>(study.evaluations.phases[evaluation].*phase));
  }
  if (values.empty()) return {};
  const double ns = study.options.per_trace ? std::accumulate(values.begin(), values.end(), 0.0)
                                            : evaluate(study.options.statistic, values);
  return cell(ns / kNsPerMs);
}

/// Whether evaluations are spans of an imported profile with forward and backward work in them, and no module calls.
bool are_steps(const Study& study) {
  return std::any_of(study.groups.begin(), study.groups.end(), [&](uint32_t number) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const bool imported = !study.trace.segments[study.trace.processes[group.process].segment].source.empty();
    return imported && group.phases.mode != Mode::kUnknown && group.kind != Kind::kTorchRoot;
  });
}

std::string step_note() {
  return "forward_ms, backward_ms and optimizer_ms are CPU times inside the step, without its kernels: backward_ms is "
         "the time in autograd's backward functions (any thread), optimizer_ms the time in optimizer steps and "
         "zero_grad, forward_ms the time from the first operator or module to the start of backward work, without "
         "waits for data";
}

bool trains(const EvaluationGroup& group) { return group.phases.mode == Mode::kTraining; }

}  // namespace

std::string_view mode_word(Mode mode) {
  switch (mode) {
    case Mode::kTraining:
      return "training";
    case Mode::kInference:
      return "inference";
    case Mode::kUnknown:
      break;
  }
  return {};
}

void add_phases(const Study& study, Table* table) {
  if (!table->has(kA1.mode)) return;
  for (size_t i = 0; i < study.groups.size(); ++i) {
    const EvaluationGroup& group = study.evaluations.groups[study.groups[i]];
    const auto& phases = group.phases;
    TableRow row = table->row(i);
    if (phases.mode != Mode::kUnknown) row.set(kA1.mode, std::string(mode_word(phases.mode)));
    if (trains(group)) row.set(kA1.forward_ms, phase_cell(study, group, &EvaluationPhases::forward_ns));
    if (phases.has_backward) row.set(kA1.backward_ms, phase_cell(study, group, &EvaluationPhases::backward_ns));
    if (phases.has_optimizer) row.set(kA1.optimizer_ms, phase_cell(study, group, &EvaluationPhases::optimizer_ns));
  }
}

std::vector<std::string> training_notes(const Study& study) {
  const auto& groups = study.evaluations.groups;
  const auto any = [&](auto&& test) {
    return std::any_of(study.groups.begin(), study.groups.end(),
                       [&](uint32_t group) { return trains(groups[group]) && test(groups[group].phases); });
  };
  if (!any([](const auto&) { return true; })) return {};
  if (are_steps(study)) return {step_note()};
  std::vector<std::string> notes = {
      "a training step is a forward call and all that follows up to its last backward work or optimizer step before "
      "the next forward call; forward_ms, backward_ms and optimizer_ms are CPU times of its parts"};
  if (any([](const auto& phases) { return !phases.has_backward; })) {
    notes.emplace_back(
        "training rows without backward_ms: their backward work ran after a later forward call and counts there "
        "(several models in one step); A2 shows it by layer (backward_ms)");
  }
  if (any([](const auto& phases) { return phases.has_backward && !phases.has_optimizer; }) &&
      any([](const auto& phases) { return phases.has_optimizer; })) {
    notes.emplace_back("training rows without optimizer_ms are steps that only accumulate gradients");
  }
  return notes;
}

}  // namespace xsp::analysis
