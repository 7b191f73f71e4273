#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/comparison_columns.h"
#include "analysis/compare/matches.h"
#include "analysis/compare/significance.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// One row of a comparison, in ns.
struct ComparedRow {
  std::string what;
  double base_ns = std::numeric_limits<double>::quiet_NaN();   // NaN: only in NEW
  double fresh_ns = std::numeric_limits<double>::quiet_NaN();  // NaN: only in BASE
  RunValues base;
  RunValues fresh;
  Alignment how = Alignment::kSame;
  std::vector<std::pair<const ColumnDefinition*, Cell>> further;  // of the table's own columns

  void set(const ColumnDefinition& column, Cell value) { further.emplace_back(&column, std::move(value)); }
};

/// Makes the table: rows in the given order, judged together.
Table comparison_table(const Comparison& comparison, const ComparisonTable& definition, std::vector<ComparedRow> rows);

/// "conv1", or "conv1 → conv2" if it was renamed.
std::string renamed_text(std::string_view base, std::string_view fresh);

/// What is noted of one input or of both: "BASE: …", "NEW: …", or as it is where both say the same.
std::vector<std::string> notes_of_both(const std::vector<std::string>& base, const std::vector<std::string>& fresh);

}  // namespace xsp::analysis
