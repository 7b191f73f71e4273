#pragma once

#include "analysis/study/analysed_trace.h"
#include "bound/joining/joined_trace.h"

namespace xsp::bound {

/// Adds the library calls of the trace (C1) to what was joined, whose `layers` are there already: their problems, and
/// the implementations that they used.
void add_calls(const analysis::AnalysedTrace& trace, JoinedTrace* joined);

}  // namespace xsp::bound
