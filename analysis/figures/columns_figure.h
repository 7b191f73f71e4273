#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// What is drawn over the rows of a table in their order.
struct ColumnsSpec {
  std::string id;
  std::string title;
  std::string noun;                           // of a row: "layer"
  const ColumnFacts* index_column = nullptr;  // where a row is on the x axis; null: at its place in the table
  const ColumnFacts* name_column = nullptr;   // null: rows have no names

  struct Panel {
    const ColumnFacts* column;
    std::string label;
  };
  std::vector<Panel> panels = {};  // those without a number are left out
  bool stacked = false;            // parts of a whole, in one panel; rows that lack one are left out
};

/// Columns with their stages, without a finding; nothing if no row has a number. With more rows than kMostColumns,
/// several rows share a column, which shows the largest of them (stacked: never).
std::optional<Figure> columns_figure(const Table& table, const ColumnsSpec& spec);

inline constexpr size_t kMostColumns = 20'000;

}  // namespace xsp::analysis
