#pragma once

#include <vector>

#include "import/writing/segment.h"
#include "import/writing/segment_process.h"

namespace xsp {

/// Writes the executions of all processes with their launches, devices and counters, once all spans are written. An
/// execution is in the process that launched it where the timeline knows that (`knows_launching_processes`) or its own
/// process has no call with its correlation id and just one other process has.
void write_executions(std::vector<SegmentProcess>* processes, bool knows_launching_processes, Segment* segment);

}  // namespace xsp
