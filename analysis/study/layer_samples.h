#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/study/study.h"

namespace xsp::analysis {

/// Puts evaluations into the runs of their group, for values of one each.
class EvaluationRuns {
 public:
  EvaluationRuns(const EvaluationGroup& group, std::span<const uint32_t> evaluations);

  /// As many values as there are evaluations, all of them not known.
  RunValues empty() const;
  /// The place of the i-th of the evaluations.
  double& at(RunValues* values, size_t i) const { return (*values)[where_[i].first][where_[i].second]; }

 private:
  std::vector<size_t> sizes_;
  std::vector<std::pair<size_t, size_t>> where_;
};

/// By index in `joined`, the layers of a group: the latency in ns of each evaluation that times layers, run by run; NaN
/// where an evaluation does not have the layer. Of a leveled group each value is from the runs that time it.
std::vector<RunValues> layer_samples_of(const Study& study, const EvaluationGroup& group, const LeveledGroup& levels,
                                        const JoinedLayers& joined);

}  // namespace xsp::analysis
