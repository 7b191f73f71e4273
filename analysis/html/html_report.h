#pragma once

#include <string>
#include <vector>

#include "analysis/export/byte_sink.h"
#include "analysis/report/report.h"
#include "analysis/study/analysed_trace.h"

namespace xsp::analysis {

struct HtmlOptions {
  size_t static_rows = 200;  // of each table, there without scripts
  size_t rows = 100'000;     // of each table inside the page; what is left out is said
};

/// One page with everything in it: nothing is fetched, nothing runs that is not named in its content security policy
/// (doc/html.md).
void write_html(const Report& report, const AnalysedTrace& analysed, const HtmlOptions& options, ByteSink* sink);

/// The page of a report that is of no trace: it has no timeline and no icicle.
void write_html(const Report& report, const HtmlOptions& options, ByteSink* sink);

}  // namespace xsp::analysis
