#pragma once

#include "analysis/iterations/operations.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// If a process's operations are on the host: when the host does other recorded work, which lies between the operations
/// and is not idle time. Layers are of the forward pass; the backward pass, operators outside of layers and library
/// calls are beside them. This is what runs on the thread of the operations, and backward work on any thread, but
/// neither waiting for the data loader nor what the loader itself computes on that thread. Empty if the operations are
/// on a device.
TimeIntervals work_beside(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                          const Operations& operations);

}  // namespace xsp::analysis
