#include "analysis/study/layer_samples.h"

#include <unordered_map>

namespace xsp::analysis {

EvaluationRuns::EvaluationRuns(const EvaluationGroup& group, std::span<const uint32_t> evaluations) {
  std::unordered_map<uint32_t, uint32_t> run_of;
  for (uint32_t run = 0; run < group.runs.size(); ++run) {
    for (const uint32_t evaluation : group.runs[run].evaluations) run_of[evaluation] = run;
  }
  std::unordered_map<uint32_t, size_t> places;
  for (const uint32_t evaluation : evaluations) {
    const auto found = run_of.find(evaluation);
    const uint32_t run = found == run_of.end() ? 0 : found->second;
    const size_t place = places.try_emplace(run, sizes_.size()).first->second;
    if (place == sizes_.size()) sizes_.push_back(0);
    where_.emplace_back(place, sizes_[place]++);
  }
}

RunValues EvaluationRuns::empty() const {
  RunValues values(sizes_.size());
  for (size_t run = 0; run < sizes_.size(); ++run) values[run].assign(sizes_[run], kUnknownValue);
  return values;
}

std::vector<RunValues> layer_samples_of(const Study& study, const EvaluationGroup& group, const LeveledGroup& levels,
                                        const JoinedLayers& joined) {
  std::vector<RunValues> samples(joined.layers.size());
  const auto latency_ns = [&](size_t layer) {
    return study.latencies.layers.empty() ? study.trace.spans.duration(study.evaluations.layers[layer])
                                          : study.latencies.layers[layer].latency_ns;
  };
  const auto read = [&](const JoinedLayers& timed, const std::vector<uint32_t>& ordinals) {
    const std::vector<uint32_t>& evaluations = timed.joined;
    const EvaluationRuns runs(group, evaluations);
    for (uint32_t place = 0; place < timed.layers.size(); ++place) {
      const uint32_t index = layer_index_of(ordinals, place);
      if (index < samples.size()) samples[index] = runs.empty();
    }
    std::vector<double> values;
    for (size_t i = 0; i < evaluations.size(); ++i) {
      layer_values(study.evaluations, timed.places, evaluations[i], latency_ns, &values);
      for (uint32_t place = 0; place < values.size(); ++place) {
        const uint32_t index = layer_index_of(ordinals, place);
        if (index < samples.size() && values[place] != kAbsent) runs.at(&samples[index], i) = values[place];
      }
    }
  };
  read(joined, {});
  // As A2 takes its latencies: those known only to runs with executions come from these runs.
  if (levels.leveled && levels.layers_outlast_calls) read(levels.kernel_layers, levels.kernel_ordinals);
  return samples;
}

}  // namespace xsp::analysis
