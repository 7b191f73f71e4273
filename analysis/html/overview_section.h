#pragma once

#include "analysis/export/byte_sink.h"
#include "analysis/report/report.h"

namespace xsp::analysis {

/// The top of a page: what was profiled, what is missing from it, and what its tables show first, each with a link to
/// the row that shows it.
void write_overview(const Report& report, ByteSink* sink);

}  // namespace xsp::analysis
