#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/timeline/executions.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Calls that launch a kernel or memset and wait for room in the queue of their device, because the host is far ahead:
/// they take kLeastQueueWaitNs or more, and as they begin kFullQueue launches of their process or more have not begun
/// to run. In order of rows, each once.
std::vector<Row> launches_at_full_queues(const Trace& trace, const Executions& executions);

/// How many launches a driver takes before a further one blocks is not documented; users report about a thousand. Half
/// of that, because a recording may have begun behind some of them.
inline constexpr int64_t kFullQueue = 500;
/// A launch takes 2 to 20 µs, under a profiler too.
inline constexpr int64_t kLeastQueueWaitNs = 50'000;

}  // namespace xsp::analysis
