#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline/evaluations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Of the processes, the one whose device was busy longest; where none used a device the one whose layers took longest,
/// else whose library calls. Of equal ones the first; nothing where none has any of these.
std::optional<uint32_t> busiest_process(const Trace& trace, const Evaluations& evaluations,
                                        const std::vector<uint32_t>& processes);

/// Of the processes those that used a device.
std::vector<uint32_t> processes_of_device(const Trace& trace, const std::vector<uint32_t>& processes);

}  // namespace xsp::analysis
