#pragma once

#include <functional>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Whether a run was recorded while counters were read: its times stand for nothing.
bool is_counted(const Segment& segment);

/// Whether a run had one kernel and one thread at a time: its parents are beyond doubt, its times stand for nothing.
bool is_serialised(const Segment& segment);

/// Takes out the spans and executions of the segments that are `untimed`, where the input has spans of others. Their
/// counters, processes and notices stay. Returns the new row by the old one, kNoRow for what was taken out; nothing
/// where all stay.
std::vector<Row> leave_out_spans(const std::function<bool(const Segment&)>& untimed, Trace* trace);

}  // namespace xsp::analysis
