#pragma once

#include "analysis/iterations/operations.h"
#include "analysis/timeline/evaluations.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/parents.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Where the operations of a process are of the host: when it does other work that is recorded, which lies between them
/// and is no idle time. Layers are of the forward pass; the backward pass, operators outside of layers and library
/// calls are beside them. It is what runs on the thread of the operations, and backward work on any thread. Waiting for
/// the data loader does not count, nor what the loader itself computes on that thread. Empty where operations are of a
/// device.
TimeIntervals work_beside(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                          const Operations& operations);

}  // namespace xsp::analysis
