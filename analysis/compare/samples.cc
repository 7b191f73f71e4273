#include "analysis/compare/samples.h"

#include <algorithm>
#include <unordered_map>

namespace xsp::analysis {
namespace {

/// Puts evaluations into the runs that they are of.
class Runs {
 public:
  Runs(const EvaluationGroup& group, std::span<const uint32_t> evaluations) {
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

  RunValues empty() const {
    RunValues values(sizes_.size());
    for (size_t run = 0; run < sizes_.size(); ++run) values[run].resize(sizes_[run]);
    return values;
  }

  /// The place of the i-th of the evaluations.
  double& at(RunValues* values, size_t i) const { return (*values)[where_[i].first][where_[i].second]; }

 private:
  std::vector<size_t> sizes_;
  std::vector<std::pair<size_t, size_t>> where_;
};

}  // namespace

std::vector<RunValues> layer_samples(const Study& study) {
  if (study.options.per_trace || !study.subject) return {};
  std::vector<RunValues> samples(study.joined.layers.size());
  const auto read = [&](const std::vector<uint32_t>& evaluations, const std::vector<uint32_t>& ordinals) {
    const Runs runs(study.evaluations.groups[*study.subject], evaluations);
    const size_t count = evaluations.empty() ? 0 : study.evaluations.layer_count(evaluations.front());
    for (uint32_t ordinal = 0; ordinal < count; ++ordinal) {
      const uint32_t index = layer_index_of(ordinals, ordinal);
      if (index >= samples.size()) continue;
      samples[index] = runs.empty();
      for (size_t i = 0; i < evaluations.size(); ++i) {
        const size_t layer = study.evaluations.first_layer[evaluations[i]] + ordinal;
        const int64_t ns = study.latencies.layers.empty() ? study.trace.spans.duration(study.evaluations.layers[layer])
                                                          : study.latencies.layers[layer].latency_ns;
        runs.at(&samples[index], i) = static_cast<double>(ns);
      }
    }
  };
  read(study.joined.joined, {});
  // As A2 takes its latencies: those that only runs with executions know come from these.
  const LeveledGroup& levels = study.levels;
  if (levels.leveled && levels.layers_outlast_calls) read(levels.kernel_layers.joined, levels.kernel_ordinals);
  return samples;
}

std::vector<RunValues> kernel_samples(const Study& study) {
  const std::vector<uint32_t>& joined = study.kernels.evaluations;
  if (joined.empty() || !study.subject) return {};
  const Runs runs(study.evaluations.groups[*study.subject], joined);
  std::unordered_map<uint32_t, size_t> number;  // in Study::kernels, by the execution that stands for the place
  for (size_t i = 0; i < study.kernels.kernels.size(); ++i) number[study.kernels.kernels[i].execution] = i;
  const std::vector<uint32_t> first = joined_order(study.trace, study.executions, Executed::kKernels, joined.front());
  std::vector<RunValues> samples(study.kernels.kernels.size(), runs.empty());
  for (size_t i = 0; i < joined.size(); ++i) {
    const std::vector<uint32_t> order = joined_order(study.trace, study.executions, Executed::kKernels, joined[i]);
    for (size_t place = 0; place < std::min(order.size(), first.size()); ++place) {
      const auto found = number.find(first[place]);
      if (found == number.end()) continue;
      const Row row = study.trace.executions.row[order[place]];
      runs.at(&samples[found->second], i) = static_cast<double>(study.trace.spans.duration(row));
    }
  }
  return samples;
}

RunValues sum_of(const std::vector<RunValues>& samples, std::span<const uint32_t> which) {
  RunValues sum;
  for (const uint32_t i : which) {
    if (i >= samples.size()) return {};
    if (sum.empty()) {
      sum = samples[i];
      continue;
    }
    for (size_t run = 0; run < sum.size(); ++run) {
      for (size_t k = 0; k < sum[run].size(); ++k) sum[run][k] += samples[i][run][k];
    }
  }
  return sum;
}

}  // namespace xsp::analysis
