#include "analysis/figures/continuous_figures.h"

#include <fmt/format.h>

#include "analysis/figures/columns_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/tables/spans_over_time.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// "spans: 1200 1/s at most, in minute 7".
std::string most_of(const TableCells& cells, const ColumnFacts& column, const std::string& what) {
  std::optional<double> most;
  std::string minute;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto value = cells.number(row, column);
    if (!value || (most && *value <= *most)) continue;
    most = value;
    minute = cells.words(row, kQ3.minute);
  }
  if (!most) return {};
  return fmt::format("{}: {} at most, in minute {}", what, figure_quantity(*most, cells.unit(column)), minute);
}

}  // namespace

std::vector<Figure> spans_over_time_figures(const Table& table) {
  ColumnsSpec spec{"Q3.minutes", "Spans and model calls over time", "minute", &kQ3.minute, &kQ3.minute};
  spec.panels = {
      {&kQ3.spans_per_s, "spans"}, {&kQ3.calls_per_s, "model calls"}, {&kQ3.p50_ms, "p50"}, {&kQ3.p99_ms, "p99"}};
  auto figure = columns_figure(table, spec);
  if (!figure) return {};
  const TableCells cells(table);
  figure->finding =
      sentences({most_of(cells, kQ3.spans_per_s, "spans"), most_of(cells, kQ3.p99_ms, "p99 of model calls")});
  return {std::move(*figure)};
}

}  // namespace xsp::analysis
