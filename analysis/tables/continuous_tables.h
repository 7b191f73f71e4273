#pragma once

#include "analysis/study/study.h"

namespace xsp::analysis {

/// Whether the trace counts by name what happened (Aggregates of trace.proto): Q2 and Q3 are there.
bool has_aggregates(const Study& study);

}  // namespace xsp::analysis
