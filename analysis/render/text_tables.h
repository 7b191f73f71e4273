#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/render/render.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Notes by the table that printed them: most are about the trace and would stand under every table.
using NotesShown = std::map<std::string, std::string>;

/// How much of a table is printed.
struct TableExtent {
  size_t rows = SIZE_MAX;
  size_t notes = SIZE_MAX;
  std::vector<std::string_view> important;  // columns that stay where there is little room
  bool brief = false;                       // what is left out is counted, not listed
};

/// A table as text: its title, rows, and notes below; a note that an earlier table has is only referred to.
void append_table(Table table, const ReportOptions& options, const TableExtent& extent, NotesShown* shown,
                  std::string* out);

}  // namespace xsp::analysis
