#include "analysis/tables/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "base/quantity_text.h"

namespace xsp::analysis {
namespace {

double rank_of(const Cell& value, bool by_magnitude) {
  const auto rank = [&](double number) { return by_magnitude ? std::fabs(number) : number; };
  if (const auto* number = std::get_if<double>(&value)) return rank(*number);
  if (const auto* number = std::get_if<int64_t>(&value)) return rank(static_cast<double>(*number));
  return -std::numeric_limits<double>::infinity();
}

constexpr uint8_t kNowhere = UINT8_MAX;

/// A bug in the program, which the first row filled or read this way reveals.
[[noreturn]] void refuse(const ColumnDefinition& column, const Table& table) {
  fmt::print(stderr, "column {} of {} is asked of table {}\n", column.name, column.table->id, table.id);
  std::abort();
}

Table make(const TableDefinition& definition, const Study* study) {
  Table table;
  const size_t dot = definition.id.find('.');
  table.id = dot == std::string_view::npos ? definition.id : definition.id.substr(dot + 1);
  table.title = definition.title;
  table.definition = &definition;
  for (const ColumnDefinition* column : definition.columns()) {
    const bool is_there = column->condition == nullptr || (study != nullptr && column->condition(*study));
    table.places.push_back(is_there ? static_cast<uint8_t>(table.columns.size()) : kNowhere);
    if (!is_there) continue;
    table.columns.push_back(
        {std::string(column->name), std::string(column->unit), column->text_width, column->decimals});
  }
  if (definition.rank_by != nullptr) rank_by(*definition.rank_by, &table);
  table.show_ranked = definition.show_ranked;
  return table;
}

}  // namespace

std::optional<size_t> Table::place_of(const ColumnDefinition& column) const {
  if (column.table != definition) refuse(column, *this);
  const uint8_t place = places[column.ordinal];
  return place == kNowhere ? std::nullopt : std::optional<size_t>(place);
}

TableRow Table::add_row() { return {this, &rows.emplace_back(columns.size())}; }

TableRow Table::row(size_t number) { return {this, &rows[number]}; }

Table make_table(const TableDefinition& definition, const Study& study) { return make(definition, &study); }

Table make_table(const TableDefinition& definition) { return make(definition, nullptr); }

size_t append_column(Column column, Table* table) {
  table->columns.push_back(std::move(column));
  for (auto& row : table->rows) row.resize(table->columns.size());
  return table->columns.size() - 1;
}

void leave_out_empty_columns(Table* table) {
  for (const ColumnDefinition* column : table->definition->columns()) {
    const auto place = column->left_out_when_empty ? table->place_of(*column) : std::nullopt;
    if (!place) continue;
    if (std::any_of(table->rows.begin(), table->rows.end(), [&](const auto& row) { return !is_null(row[*place]); })) {
      continue;
    }
    const auto at = static_cast<ptrdiff_t>(*place);
    table->columns.erase(table->columns.begin() + at);
    for (auto& row : table->rows) row.erase(row.begin() + at);
    for (uint8_t& other : table->places) {
      if (other == *place) {
        other = kNowhere;
      } else if (other != kNowhere && other > *place) {
        --other;
      }
    }
    if (table->rank_by == *place) table->rank_by.reset();
    if (table->rank_by && *table->rank_by > *place) --*table->rank_by;
  }
}

void rank_by(const ColumnDefinition& column, Table* table) { table->rank_by = table->place_of(column); }

std::string number_text(double value, const Column& column) {
  return column.decimals ? fmt::format("{:.{}f}", value, *column.decimals) : four_digits(value);
}

std::vector<size_t> top_rows(size_t top, const Table& table) {
  std::vector<size_t> kept(table.rows.size());
  std::iota(kept.begin(), kept.end(), size_t{0});
  if (kept.size() <= top) return kept;
  if (table.rank_by) {
    std::stable_sort(kept.begin(), kept.end(), [&](size_t a, size_t b) {
      const auto rank = [&](size_t row) { return rank_of(table.rows[row][*table.rank_by], table.rank_by_magnitude); };
      return rank(a) > rank(b);
    });
  }
  kept.resize(top);
  if (!table.show_ranked) std::sort(kept.begin(), kept.end());
  return kept;
}

size_t cut_to_top(size_t top, Table* table) {
  if (table->rows.size() <= top) return 0;
  const size_t left_out = table->rows.size() - top;
  std::vector<std::vector<Cell>> rows;
  rows.reserve(top);
  for (const size_t row : top_rows(top, *table)) rows.push_back(std::move(table->rows[row]));
  table->rows = std::move(rows);
  return left_out;
}

}  // namespace xsp::analysis
