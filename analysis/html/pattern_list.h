#pragma once

#include "analysis/export/byte_sink.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Whether a part is a folded pattern, which is written as a list in place of a table.
bool is_pattern(const Table& part);

/// A list of the pattern's operations; what repeats is a list within, to be opened and closed without scripts.
void write_pattern_list(const Table& part, ByteSink* sink);

}  // namespace xsp::analysis
