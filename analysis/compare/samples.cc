#include "analysis/compare/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
    for (size_t run = 0; run < sizes_.size(); ++run) values[run].assign(sizes_[run], kUnknownValue);
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
  const auto latency_ns = [&](size_t layer) {
    return study.latencies.layers.empty() ? study.trace.spans.duration(study.evaluations.layers[layer])
                                          : study.latencies.layers[layer].latency_ns;
  };
  const auto read = [&](const JoinedLayers& joined, const std::vector<uint32_t>& ordinals) {
    const std::vector<uint32_t>& evaluations = joined.joined;
    const Runs runs(study.evaluations.groups[*study.subject], evaluations);
    for (uint32_t place = 0; place < joined.layers.size(); ++place) {
      const uint32_t index = layer_index_of(ordinals, place);
      if (index < samples.size()) samples[index] = runs.empty();
    }
    std::vector<double> values;
    for (size_t i = 0; i < evaluations.size(); ++i) {
      layer_values(study.evaluations, joined.places, evaluations[i], latency_ns, &values);
      for (uint32_t place = 0; place < values.size(); ++place) {
        const uint32_t index = layer_index_of(ordinals, place);
        if (index < samples.size() && values[place] != kAbsent) runs.at(&samples[index], i) = values[place];
      }
    }
  };
  read(study.joined, {});
  // As A2 takes its latencies: those known only to runs with executions come from these runs.
  const LeveledGroup& levels = study.levels;
  if (levels.leveled && levels.layers_outlast_calls) read(levels.kernel_layers, levels.kernel_ordinals);
  return samples;
}

std::vector<RunValues> kernel_samples(const Study& study) {
  const std::vector<uint32_t>& joined = study.kernels.evaluations;
  if (joined.empty() || !study.subject) return {};
  const Runs runs(study.evaluations.groups[*study.subject], joined);
  const LayerOfKernel layer_of = layers_of_kernels(study, study.levels, study.joined);
  std::vector<RunValues> samples(study.kernels.kernels.size(), runs.empty());
  for (size_t i = 0; i < joined.size(); ++i) {
    const std::vector<uint32_t> order =
        joined_order(study.trace, study.executions, Executed::kKernels, joined[i], layer_of);
    const std::vector<uint32_t>& rows = study.kernels.rows_of(i);
    for (size_t place = 0; place < order.size(); ++place) {
      if (rows[place] == kNoPlace) continue;
      const Row row = study.trace.executions.row[order[place]];
      runs.at(&samples[rows[place]], i) = static_cast<double>(study.trace.spans.duration(row));
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
      for (size_t k = 0; k < sum[run].size(); ++k) {
        if (std::isnan(sum[run][k])) {
          sum[run][k] = samples[i][run][k];
        } else if (!std::isnan(samples[i][run][k])) {
          sum[run][k] += samples[i][run][k];
        }
      }
    }
  }
  return sum;
}

RunValues known_of(RunValues values) {
  for (auto& run : values) std::erase_if(run, [](double value) { return std::isnan(value); });
  return values;
}

}  // namespace xsp::analysis
