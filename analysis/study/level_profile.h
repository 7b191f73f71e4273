#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/study/level_sets.h"
#include "analysis/study/study.h"

namespace xsp::analysis {

/// The layers of one ordinal in a level set.
struct ProfiledLayer {
  uint32_t name = 0;  // string ids
  uint32_t type = 0;
  RunValues host_ns;
};

/// What the runs of one level set say of the subject, in ns of single evaluations. Layers and library calls are timed
/// on the host, which every set that has them knows: where calls return before the device is done, a layer's latency
/// with its kernels is known to the deepest set only. Events deeper than the set are no part of it.
struct LevelProfile {
  LevelSet set;
  std::vector<std::vector<uint32_t>> used;  // evaluations without warm-up, by run of the set
  RunValues model_ns;                       // of those

  std::vector<std::vector<uint32_t>> joined;  // those with the most frequent sequence of layers, by run
  std::vector<ProfiledLayer> layers;          // by ordinal
  size_t diverging = 0;                       // evaluations with another sequence
  size_t first_difference = 0;                // ordinal, of the first of them

  RunValues library_ns;  // of `used`, all library calls of an evaluation in sum; empty without library calls

  /// All evaluations of `joined`, or of `used` where there are no layers.
  std::vector<uint32_t> evaluations() const;
};

/// The profiles of the subject by level set, the shallowest first; none without a subject.
std::vector<LevelProfile> profile_levels(const Study& study);

/// The statistic of all values of all runs; NaN when there are none.
double evaluate(const Statistic& statistic, const RunValues& values);
double interquartile_range(const RunValues& values);

}  // namespace xsp::analysis
