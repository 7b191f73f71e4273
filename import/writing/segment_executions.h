#pragma once

#include <vector>

#include "import/writing/segment.h"
#include "import/writing/segment_process.h"

namespace xsp {

/// Writes the executions of all processes with their launches, devices and counters, once all spans are written. An
/// execution goes to the process that launched it: its own where the timeline knows that (`knows_launching_processes`);
/// otherwise, if its own process has no call with its correlation id and exactly one other has, to that one.
void write_executions(std::vector<SegmentProcess>* processes, bool knows_launching_processes, Segment* segment);

}  // namespace xsp
