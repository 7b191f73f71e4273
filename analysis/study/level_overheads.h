#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/statistics/bootstrap.h"
#include "analysis/study/level_profile.h"
#include "analysis/timeline/sequence_alignment.h"

namespace xsp::analysis {

/// An event at one level set, and what the levels that this set records beyond the one before it cost the event.
struct LevelOverhead {
  size_t profile = 0;  // of the set
  Level event = Level::kModel;
  uint32_t layer = kNoPlace;  // ordinal; kNoPlace: the event is no single layer

  double latency_ns = 0;
  double spread_ns = 0;  // NaN when unknown
  size_t n = 0;          // evaluations
  size_t runs = 0;       // that they are of

  bool is_compared = false;                                       // a shallower set has the event
  double before_ns = std::numeric_limits<double>::quiet_NaN();    // there
  double overhead_ns = std::numeric_limits<double>::quiet_NaN();  // latency_ns - before_ns
  Interval interval;                                              // of overhead_ns
};

/// How the layers of a set meet those of the set before it.
struct LayerPartners {
  std::vector<uint32_t> of;  // by ordinal the one in the set before; kNoPlace: none
  size_t missing = 0;        // layers of the set before that have none here
};

/// Layers of the same name and type are partners in order, as align_sequences says.
LayerPartners find_partners(const LevelProfile& before, const LevelProfile& after);

/// By set, the shallowest first: the model, all library calls of an evaluation in sum, and the layers in order. Each is
/// compared with the next shallower set. Intervals of single layers are found for at most kMostIntervals layers of a
/// set, for each takes thousands of resamples.
inline constexpr size_t kMostIntervals = 2000;
std::vector<LevelOverhead> level_overheads(const std::vector<LevelProfile>& profiles, const Statistic& statistic);

}  // namespace xsp::analysis
