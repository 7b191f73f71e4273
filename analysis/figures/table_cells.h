#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Cells of a table by the names of their columns. A column that is not there has nulls.
class TableCells {
 public:
  explicit TableCells(const Table& table) : table_(table) {}

  size_t rows() const { return table_.rows.size(); }
  bool has(std::string_view column) const { return find(column).has_value(); }
  bool has_values(std::string_view column) const;  // numbers in any row
  std::string unit(std::string_view column) const;

  /// A finite number, else nothing.
  std::optional<double> number(size_t row, std::string_view column) const;
  /// Text of any cell, as recorded; empty for null.
  std::string text(size_t row, std::string_view column) const;

 private:
  std::optional<size_t> find(std::string_view column) const;
  const Cell* cell_of(size_t row, std::string_view column) const;

  const Table& table_;
};

/// The number of a cell: finite, and no text.
std::optional<double> number_of(const Cell& cell);
/// The text of a cell, as recorded; empty for null.
std::string text_of(const Cell& cell);

}  // namespace xsp::analysis
