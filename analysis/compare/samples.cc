#include "analysis/compare/samples.h"

#include <algorithm>
#include <cmath>

#include "analysis/study/layer_samples.h"

namespace xsp::analysis {
std::vector<RunValues> layer_samples(const Study& study) {
  if (study.options.per_trace || !study.subject) return {};
  return layer_samples_of(study, study.evaluations.groups[*study.subject], study.levels, study.joined);
}

std::vector<RunValues> kernel_samples(const Study& study) {
  const std::vector<uint32_t>& joined = study.kernels.evaluations;
  if (joined.empty() || !study.subject) return {};
  const EvaluationRuns runs(study.evaluations.groups[*study.subject], joined);
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
