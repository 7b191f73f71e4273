#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/export/exporter.h"
#include "analysis/export/sqlite_database.h"

namespace xsp::analysis {

/// A SQLite database with all spans, what they belong to, and every table of the report. What its tables and columns
/// mean is in it, in `tables` and `columns`.
Status write_sqlite(const ExportInput& input, const std::string& path);

/// The tables of spans, as they are documented.
std::span<const SqliteTable> sqlite_span_tables();

struct SqliteView {
  std::string_view name;
  std::string_view meaning;
  std::string query;  // SQL
};

/// Views for common questions, over those tables.
std::vector<SqliteView> sqlite_views();

/// Fills them and makes the views over them.
void write_sqlite_spans(const ExportInput& input, SqliteDatabase* database);

/// A table of the report with its parts, its notes and its extras.
void write_sqlite_report(const std::vector<Table>& tables, SqliteDatabase* database);

}  // namespace xsp::analysis
