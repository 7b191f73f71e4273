#include "analysis/tables/table.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

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
