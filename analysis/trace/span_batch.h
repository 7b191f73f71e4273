#pragma once

#include <functional>
#include <string_view>

#include "analysis/trace/span_table.h"
#include "analysis/trace/string_table.h"

namespace xsp::analysis {

/// Gives the index of Trace::tracks for (thread, ring) of the process whose batch is read.
using TrackOf = std::function<uint32_t(uint32_t thread, uint32_t ring)>;

/// Appends the spans of one encoded SpanBatch (trace.proto) to `spans`. False when the batch contradicts itself: a
/// column of another length than `count`, a number too large for its column, a level that does not exist, a time
/// beyond 2^62 ns, a field that is not protobuf. Then nothing was appended. Unknown fields are skipped. Uses of strings
/// that are not defined are added to `missing_strings`.
bool append_span_batch(std::string_view encoded, const ProcessStrings& strings, const TrackOf& track_of,
                       SpanTable* spans, uint64_t* missing_strings);

}  // namespace xsp::analysis
