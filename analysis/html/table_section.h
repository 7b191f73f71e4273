#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/figures/figure.h"
#include "analysis/html/html_report.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// "A2 Layer information".
std::string heading_of(const Table& table);

/// Notes by the table under which they stand: most are about the trace, and hold for tables after it too.
using NotesShown = std::map<std::string, std::string>;

/// The section of an analysis: what it is for, its figures, rows, values beside them, notes, and parts. Without rows it
/// says what is missing.
void write_table_section(const Table& table, const std::vector<Figure>& figures, const HtmlOptions& options,
                         NotesShown* shown, ByteSink* sink);

}  // namespace xsp::analysis
