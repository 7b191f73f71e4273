#include "analysis/tables/sweep_notes.h"

#include <fmt/format.h>

#include <optional>

#include "analysis/study/merged_runs.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

struct BestPoint {
  double value = 0;
  uint32_t group = 0;
};

std::string point_of(const Study& study, uint32_t group) {
  const ExperimentRun* run = run_of(study.trace, study.evaluations.groups[group]);
  return run == nullptr ? std::string() : point_label(*run);
}

}  // namespace

std::string inputs_note(const Study& study) {
  size_t differing = 0;
  std::string first;
  for (const uint32_t number : study.groups) {
    const EvaluationGroup& group = study.evaluations.groups[number];
    const EvaluationInputs& inputs = study.inputs[number];
    if (!inputs.count || !group.batch_size || *inputs.count == static_cast<double>(*group.batch_size)) continue;
    if (differing++ != 0) continue;
    first =
        fmt::format("{} of {} has {} inputs, but the first dimension of its input {} is {}",
                    inputs.by == EvaluationInputs::By::kOption ? "by --inputs a call" : "by the sweep a call",
                    model_label(study.trace, group), *inputs.count, study.trace.text(group.input), *group.batch_size);
  }
  if (differing == 0) return {};
  std::string note = "inputs per call: " + first + "; the former is used";
  if (differing > 1) note += fmt::format(" (and in {} more rows)", differing - 1);
  return note;
}

std::string best_point_note(const Study& study, const std::vector<ModelSweep>& sweeps) {
  if (sweeps.empty() || sweeps.front().point.empty() || sweeps.front().set.empty()) return {};
  std::optional<BestPoint> throughput;
  std::optional<BestPoint> latency;
  size_t points = 0;
  for (const ModelSweep& sweep : sweeps) {
    for (const uint32_t number : sweep.groups) {
      const EvaluationGroup& group = study.evaluations.groups[number];
      const GroupLatency measured = latency_of(study, group);
      if (!(measured.ns > 0) || has_failed(study.trace, group)) continue;
      ++points;
      if (!latency || measured.ns < latency->value) latency = {measured.ns, number};
      const auto per_second = measured.throughput_per_s(inputs_of(study, group, measured.n));
      if (!per_second) continue;
      if (!throughput || *per_second > throughput->value) throughput = {*per_second, number};
    }
  }
  if (points < 2) return {};
  std::string note;
  if (throughput) {
    note = fmt::format("largest throughput of the sweep: {:.6g}/s at {}", throughput->value,
                       point_of(study, throughput->group));
  }
  note += fmt::format("{} latency of the sweep: {:.6g} ms at {}", note.empty() ? "smallest" : "; smallest",
                      latency->value / kNsPerMs, point_of(study, latency->group));
  return note;
}

}  // namespace xsp::analysis
