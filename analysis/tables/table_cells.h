#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/table.h"

namespace xsp::analysis {

/// Column of that name, as a user gives it; nothing when there is none.
std::optional<size_t> find_column(const Table& table, std::string_view name);
/// The column that has the name of this one; nothing when there is none.
inline std::optional<size_t> find_column(const Table& table, const ColumnFacts& column) {
  return find_column(table, column.name);
}

/// Their names in the same order.
std::vector<std::string_view> names_of(std::span<const ColumnDefinition* const> columns);

/// The part of a table that has this definition; null when there is none.
const Table* part_of(const Table& table, const TableDefinition& part);

/// The number of a cell: finite, and no text.
std::optional<double> number_of(const Cell& cell);
/// Any cell in words: text as recorded, yes and no, numbers in six digits; empty for null.
std::string words_of(const Cell& cell);

/// Cells of a table by row and column, for readers of several tables and of tables that lack a part: a table that is
/// not there (null) has no rows, a missing column only nulls. Columns are the same if their names are, so a column that
/// several tables share is read by the handle of any of them.
class TableCells {
 public:
  explicit TableCells(const Table& table) : table_(&table) {}
  explicit TableCells(const Table* table) : table_(table) {}

  size_t rows() const { return table_ == nullptr ? 0 : table_->rows.size(); }
  const Table* table() const { return table_; }

  bool has(const ColumnFacts& column) const { return table_ != nullptr && find_column(*table_, column).has_value(); }
  bool has_values(const ColumnFacts& column) const;  // numbers in any row
  std::string unit(const ColumnFacts& column) const;

  /// A finite number, else nothing.
  std::optional<double> number(size_t row, const ColumnFacts& column) const;
  std::optional<bool> truth(size_t row, const ColumnFacts& column) const;
  /// Text as recorded; empty for null and for what is no text.
  std::string text(size_t row, const ColumnFacts& column) const;
  /// words_of() the cell.
  std::string words(size_t row, const ColumnFacts& column) const;

  /// Of all rows that have a number; nothing where none has.
  std::optional<double> sum(const ColumnFacts& column) const;
  /// The row with the largest number.
  std::optional<size_t> largest(const ColumnFacts& column) const;

 private:
  const Cell* cell_of(size_t row, const ColumnFacts& column) const;

  const Table* table_;
};

}  // namespace xsp::analysis
