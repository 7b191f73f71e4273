#pragma once

#include <cstdint>
#include <vector>

#include "analysis/study/thread_sweep.h"

namespace xsp::analysis {

/// The groups of evaluations that a sweep is made of.
struct ThreadGroups {
  bool in_process = false;
  std::vector<ThreadPoint> points;  // ascending, without values
  std::vector<uint32_t> blocks;     // of Evaluations::groups: own and advised settings that took turns
};

/// Those of the subject's model: one process with several numbers of threads, or runs of a set with a parameter called
/// `threads`. No points and blocks: there is neither.
ThreadGroups find_thread_groups(const Study& study);

}  // namespace xsp::analysis
