#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/trace/aggregates.h"
#include "analysis/trace/string_table.h"

namespace xsp::analysis {

/// Adds an Aggregates packet of a process. `part` is the index of the part that it stands in, 0 of a recording in one
/// file: what parts before a total counted is in that total. False, and nothing is changed, when the packet contradicts
/// itself.
bool append_aggregates(std::string_view encoded, uint32_t process, uint32_t part, const ProcessStrings& strings,
                       AggregateTable* table, uint64_t* missing_strings);

}  // namespace xsp::analysis
