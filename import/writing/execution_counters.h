#pragma once

#include <cstdint>
#include <vector>

#include "import/writing/segment.h"
#include "import/writing/segment_process.h"

namespace xsp {

/// An execution: the process that it was added to, and its number there.
struct ExecutionSource {
  uint32_t process;
  uint32_t number;
};

/// Writes the counters of the executions that were written as those of `process`; `executions` are in the order of
/// writing.
void write_counters(const std::vector<ExecutionSource>& executions, std::vector<SegmentProcess>* processes,
                    uint32_t process, Segment* segment);

}  // namespace xsp
