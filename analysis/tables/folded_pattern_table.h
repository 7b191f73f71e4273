#pragma once

#include "analysis/iterations/found_iterations.h"
#include "analysis/tables/table.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// D1's part `folded`: the patterns of the outermost loops, with what repeats in them folded. A row a line: depth,
/// repeats, operations (of one repeat), what (of an operation; of several loops the first line of each names it). What
/// a row consists of follows it, one deeper.
Table folded_pattern_table(const Trace& trace, const FoundIterations& found);

}  // namespace xsp::analysis
