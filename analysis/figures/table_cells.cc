#include "analysis/figures/table_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xsp::analysis {

std::optional<double> number_of(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&cell); number != nullptr && std::isfinite(*number)) return *number;
  return {};
}

std::string text_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:g}", *number);
  if (const auto* yes = std::get_if<bool>(&cell)) return *yes ? "yes" : "no";
  return "";
}

std::optional<size_t> TableCells::find(std::string_view column) const {
  const auto& columns = table_.columns;
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
  if (found == columns.end()) return {};
  return static_cast<size_t>(found - columns.begin());
}

const Cell* TableCells::cell_of(size_t row, std::string_view column) const {
  const auto place = find(column);
  if (!place || *place >= table_.rows[row].size()) return nullptr;
  return &table_.rows[row][*place];
}

bool TableCells::has_values(std::string_view column) const {
  if (!has(column)) return false;
  for (size_t row = 0; row < rows(); ++row) {
    if (number(row, column)) return true;
  }
  return false;
}

std::string TableCells::unit(std::string_view column) const {
  const auto place = find(column);
  return place ? table_.columns[*place].unit : "";
}

std::optional<double> TableCells::number(size_t row, std::string_view column) const {
  const Cell* found = cell_of(row, column);
  return found == nullptr ? std::optional<double>() : number_of(*found);
}

std::string TableCells::text(size_t row, std::string_view column) const {
  const Cell* found = cell_of(row, column);
  return found == nullptr ? "" : text_of(*found);
}

}  // namespace xsp::analysis
