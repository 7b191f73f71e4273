#pragma once

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Takes out the spans of runs that were recorded while counters were read, whose times stand for nothing, where the
/// input has other runs. Their counters, processes and notices stay.
void leave_out_counted_spans(Trace* trace);

}  // namespace xsp::analysis
