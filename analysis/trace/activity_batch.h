#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "analysis/trace/span_batch.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Index of Trace::queues by (device, context, stream) of one process.
using QueueNumbers = std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t>;

/// Appends the executions of one encoded ActivityBatch (trace.proto) to the spans, executions and queues of `trace`.
/// False when the batch contradicts itself, as append_span_batch, and when it has a span of another level or of a
/// kind of other levels, or a queue that it does not list: then no span was appended.
bool append_activity_batch(std::string_view encoded, uint32_t process, const ProcessStrings& strings,
                           const TrackOf& track_of, QueueNumbers* queues, Trace* trace);

}  // namespace xsp::analysis
