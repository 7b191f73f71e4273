#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The runs of a group that were recorded down to one level. "M", "M/L", "M/L/library", "M/L/library/G" are the level
/// sets of the paper (section III-C), with the library level between.
struct LevelSet {
  Level deepest = Level::kDevice;
  std::string label;
  std::vector<uint32_t> runs;  // indices in EvaluationGroup::runs
};

/// Of a group, the shallowest first. A recording without --level has all levels, its calls that were not sampled only
/// M. Runs that failed are left out where there are others of the same level.
std::vector<LevelSet> level_sets(const Trace& trace, const EvaluationGroup& group);

/// The set whose deepest level is that of an event: the one that times it right. Else the shallowest that records the
/// event; null when none does.
const LevelSet* set_of(const std::vector<LevelSet>& sets, Level event);

}  // namespace xsp::analysis
