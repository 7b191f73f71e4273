#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "analysis/trace/argument_table.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Arguments of one process whose spans have not come yet: entries by ring (high half) and span id. In a trace of a
/// collector they stand before the batch with the span.
using PendingArguments = std::unordered_map<uint64_t, uint32_t>;

/// Adds the entries of one encoded ArgumentBatch (trace.proto) to `table`. False when the batch contradicts itself:
/// columns or values of another length than they say. Entries before that place stay. Of two entries for one span the
/// first one holds.
bool append_argument_batch(std::string_view encoded, const StringTable& texts, const ProcessStrings& strings,
                           PendingArguments* pending, ArgumentTable* table, uint64_t* missing_strings);

/// Gives the spans from `first` on their arguments, if those have come.
void attach_arguments(size_t first, const std::vector<Track>& tracks, PendingArguments* pending, SpanTable* spans);

}  // namespace xsp::analysis
