#pragma once

#include "analysis/timeline/parents.h"
#include "analysis/timeline/span_ids.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Resolves the forward links of backward work into Parents::forward; one that leads nowhere, or to the span itself, is
/// none. Costs nothing in a trace without such links.
void link_forwards(const Trace& trace, const SpanIds& ids, Parents* parents);

}  // namespace xsp::analysis
