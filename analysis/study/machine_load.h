#pragma once

#include <vector>

#include "analysis/study/thread_sweep.h"

namespace xsp::analysis {

/// Whether others wanted the processors while the points of a sweep were measured: as the guests saw it with each call,
/// and where runs were made of points, by what was runnable before the programs began. `cores`: that can be used; 0:
/// not known.
MachineLoad find_machine_load(const Study& study, const std::vector<ThreadPoint>& points, uint32_t cores,
                              bool in_process);

}  // namespace xsp::analysis
