#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/trace/counter_table.h"
#include "analysis/trace/string_table.h"

namespace xsp::analysis {

/// Appends one encoded CounterBatch (trace.proto). False when it contradicts itself: a column of another length than
/// it says, no metrics, a number too large for its column, a field that is not protobuf; then nothing was appended.
/// Uses of strings that are not defined are added to `missing_strings`. A value that is not finite is none.
bool append_counter_batch(std::string_view encoded, uint32_t process, const ProcessStrings& strings,
                          std::vector<CounterBatch>* batches, uint64_t* missing_strings);

}  // namespace xsp::analysis
