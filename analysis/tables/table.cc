#include "analysis/tables/table.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace xsp::analysis {
namespace {

double rank_of(const Cell& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
  return -std::numeric_limits<double>::infinity();
}

}  // namespace

size_t cut_to_top(size_t top, Table* table) {
  if (table->rows.size() <= top) return 0;
  const size_t left_out = table->rows.size() - top;
  std::vector<size_t> kept(table->rows.size());
  std::iota(kept.begin(), kept.end(), size_t{0});
  if (table->rank_by) {
    std::stable_sort(kept.begin(), kept.end(), [&](size_t a, size_t b) {
      return rank_of(table->rows[a][*table->rank_by]) > rank_of(table->rows[b][*table->rank_by]);
    });
  }
  kept.resize(top);
  if (!table->show_ranked) std::sort(kept.begin(), kept.end());
  std::vector<std::vector<Cell>> rows;
  rows.reserve(top);
  for (const size_t row : kept) rows.push_back(std::move(table->rows[row]));
  table->rows = std::move(rows);
  return left_out;
}

}  // namespace xsp::analysis
