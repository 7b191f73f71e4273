#include "analysis/tables/table_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xsp::analysis {

std::optional<size_t> find_column(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  if (found == table.columns.end()) return {};
  return static_cast<size_t>(found - table.columns.begin());
}

std::vector<std::string_view> names_of(std::span<const ColumnDefinition* const> columns) {
  std::vector<std::string_view> names;
  for (const ColumnDefinition* column : columns) names.push_back(column->name);
  return names;
}

const Table* part_of(const Table& table, const TableDefinition& part) {
  const std::string_view id = part.id.substr(part.id.find('.') + 1);
  const auto found =
      std::find_if(table.parts.begin(), table.parts.end(), [&](const Table& candidate) { return candidate.id == id; });
  return found == table.parts.end() ? nullptr : &*found;
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&cell); number != nullptr && std::isfinite(*number)) return *number;
  return {};
}

std::string words_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:g}", *number);
  if (const auto* yes = std::get_if<bool>(&cell)) return *yes ? "yes" : "no";
  return "";
}

const Cell* TableCells::cell_of(size_t row, const ColumnFacts& column) const {
  if (row >= rows()) return nullptr;
  const auto place = find_column(*table_, column);
  if (!place || *place >= table_->rows[row].size()) return nullptr;
  return &table_->rows[row][*place];
}

bool TableCells::has_values(const ColumnFacts& column) const {
  for (size_t row = 0; row < rows(); ++row) {
    if (number(row, column)) return true;
  }
  return false;
}

std::string TableCells::unit(const ColumnFacts& column) const {
  const auto place = table_ == nullptr ? std::nullopt : find_column(*table_, column);
  return place ? table_->columns[*place].unit : "";
}

std::optional<double> TableCells::number(size_t row, const ColumnFacts& column) const {
  const Cell* cell = cell_of(row, column);
  return cell == nullptr ? std::nullopt : number_of(*cell);
}

std::optional<bool> TableCells::truth(size_t row, const ColumnFacts& column) const {
  const Cell* cell = cell_of(row, column);
  const auto* truth = cell == nullptr ? nullptr : std::get_if<bool>(cell);
  return truth == nullptr ? std::nullopt : std::optional(*truth);
}

std::string TableCells::text(size_t row, const ColumnFacts& column) const {
  const Cell* cell = cell_of(row, column);
  const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(cell);
  return text == nullptr ? std::string() : *text;
}

std::string TableCells::words(size_t row, const ColumnFacts& column) const {
  const Cell* cell = cell_of(row, column);
  return cell == nullptr ? std::string() : words_of(*cell);
}

std::optional<double> TableCells::sum(const ColumnFacts& column) const {
  std::optional<double> sum;
  for (size_t row = 0; row < rows(); ++row) {
    if (const auto value = number(row, column)) sum = sum.value_or(0) + *value;
  }
  return sum;
}

std::optional<size_t> TableCells::largest(const ColumnFacts& column) const {
  std::optional<size_t> largest;
  double most = -INFINITY;
  for (size_t row = 0; row < rows(); ++row) {
    const auto value = number(row, column);
    if (!value || *value <= most) continue;
    most = *value;
    largest = row;
  }
  return largest;
}

}  // namespace xsp::analysis
