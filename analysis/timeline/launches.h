#pragma once

#include <string_view>

#include "analysis/timeline/parents.h"
#include "analysis/timeline/span_ids.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Gives every execution its launch as parent: the span that the collector named, else the only call of its process
/// with its correlation id; never one by time. Finds the spans that captured the nodes of graphs.
void link_executions(const Trace& trace, const SpanIds& ids, Parents* parents);

/// Whether a call of the CUDA API of this name starts a kernel or a graph.
bool is_launch(std::string_view function);

}  // namespace xsp::analysis
