#include "analysis/figures/roofline_points.h"

#include <algorithm>

#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

std::string bound_of(const TableCells& cells, size_t row) {
  if (std::string bound = cells.words(row, columns::kBound); !bound.empty()) return bound;
  const std::string memory_bound = cells.words(row, columns::kMemoryBound);
  return memory_bound.empty() ? "" : memory_bound == "yes" ? "memory" : "compute";
}

Undrawn undrawn_of(const RooflineRow& row, const std::string& flags) {
  const bool no_flops = (row.throughput && *row.throughput == 0) || (row.intensity && *row.intensity == 0);
  if (no_flops) return Undrawn::kNoFlops;
  if (row.intensity && row.throughput) return Undrawn::kNot;
  if (flags.find("auxiliary") != std::string::npos) return Undrawn::kAuxiliary;
  // Intensity without throughput: the time is not that of all the work.
  return row.intensity && !row.throughput ? Undrawn::kSplit : Undrawn::kUnknown;
}

}  // namespace

std::vector<RooflineRow> roofline_rows(const Table& table, const ColumnFacts& time) {
  const TableCells cells(table);
  std::vector<RooflineRow> rows;
  rows.reserve(table.rows.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    RooflineRow& row = rows.emplace_back();
    row.row = i;
    row.time = std::max(0.0, cells.number(i, time).value_or(0));
    row.intensity = cells.number(i, columns::kArithmeticIntensity);
    row.throughput = cells.number(i, columns::kThroughputTflops);
    row.type = cells.words(i, columns::kDataType);
    row.peak = cells.number(i, columns::kPeakTflops);
    row.bandwidth = cells.number(i, columns::kBandwidthGbs);
    row.bound = bound_of(cells, i);
    row.source = cells.words(i, columns::kSource);
    row.pct_of_roof = cells.number(i, columns::kPctOfRoof);
    row.undrawn = undrawn_of(row, cells.words(i, columns::kFlags));
  }
  return rows;
}

}  // namespace xsp::analysis
