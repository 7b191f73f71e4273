#pragma once

#include <string>

#include "analysis/html/html_report.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The rows of a table for pages without scripts, mail and print: at most `static_rows` of them, as they rank; columns
/// without any value are only named. `id` is of the page: a part's has its table's before its own. Nothing without
/// rows.
void write_static_table(const std::string& id, const Table& table, const HtmlOptions& options, ByteSink* sink);

}  // namespace xsp::analysis
