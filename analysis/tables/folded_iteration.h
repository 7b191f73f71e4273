#pragma once

#include "analysis/iterations/found_iterations.h"
#include "analysis/tables/table.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// The part `folded` of D1: the pattern of a loop with its exact repeats folded. A row is an operation, or a block whose
/// operations follow one deeper.
Table folded_iteration(const Trace& trace, const FoundIterations& found, uint32_t loop);

}  // namespace xsp::analysis
