#pragma once

#include <vector>

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table.h"

namespace xsp::analysis {

/// The columns that every comparison begins with. A table that compares something has a type derived from this one with
/// its own columns behind them; its id and title are those of the analysis that it compares.
struct ComparisonTable : TableDefinition {
  static constexpr std::string_view kSource = "doc/diff.md";

  ColumnDefinition what{this, ColumnFacts{"what", "", "What is compared", "", "any", kSource}.cut_to(60)};
  ColumnDefinition base{this, {"base", "ms", "Its time in BASE", "", "any", kSource}};
  ColumnDefinition fresh{this, {"new", "ms", "Its time in NEW", "", "any", kSource}};
  ColumnDefinition difference{this,
                              {"difference", "ms", "How much longer it takes in NEW", "new − base", "any", kSource}};
  ColumnDefinition difference_pct{
      this, {"difference_pct", "%", "The same as a share", "difference / base · 100", "any", kSource}};
  ColumnDefinition ci_low{this,
                          {"ci_low", "ms", "Low end of its 95 % confidence interval", "bootstrap", "any", kSource}};
  ColumnDefinition ci_high{this,
                           {"ci_high", "ms", "High end of its 95 % confidence interval", "bootstrap", "any", kSource}};
  ColumnDefinition significant{
      this, {"significant", "", "Whether it is more than chance, among all rows", "", "any", kSource}};
  ColumnDefinition n_base{this, {"n_base", "", "Values of BASE behind it", "", "any", kSource}};
  ColumnDefinition n_new{this, {"n_new", "", "Values of NEW behind it", "", "any", kSource}};
  ColumnDefinition change{
      this, {"change", "", "Whether it is in one alone, renamed or at another place", "", "any", kSource}};

  constexpr ComparisonTable() : TableDefinition({.id = "", .title = ""}) {
    rank_by = &difference;
    show_ranked = true;
    important_ = {&what, &difference, &significant, &difference_pct, &base, &fresh, &change, &ci_low, &ci_high};
  }
};
inline constexpr ComparisonTable kCompared;

/// Further columns of several comparisons.
namespace columns {
inline constexpr ColumnFacts kBaseIndex{"base_index", "", "Place of the layer in BASE", "", "L", "doc/diff.md"};
inline constexpr ColumnFacts kNewIndex{"new_index", "", "Place of the layer in NEW", "", "L", "doc/diff.md"};
inline constexpr ColumnFacts kBaseCount{"base_count", "", "How many there are in BASE", "", "any", "doc/diff.md"};
inline constexpr ColumnFacts kNewCount{"new_count", "", "How many there are in NEW", "", "any", "doc/diff.md"};
}  // namespace columns

/// The cell of a row of any comparison, by a column of kCompared.
inline const Cell& compared_cell(const std::vector<Cell>& row, const ColumnDefinition& column) {
  return row[column.ordinal];
}

}  // namespace xsp::analysis
