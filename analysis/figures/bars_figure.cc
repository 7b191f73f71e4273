#include "analysis/figures/bars_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_text.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {

std::optional<Figure> bars_figure(const Table& table, const BarsSpec& spec, std::vector<Bar> bars) {
  if (bars.empty()) return {};
  const auto longer = [](const Bar& a, const Bar& b) { return a.value > b.value; };
  if (spec.ranked) std::stable_sort(bars.begin(), bars.end(), longer);
  Figure figure;
  figure.id = spec.id;
  figure.table = table.id;
  figure.title = spec.title;
  figure.kind = FigureKind::kBars;
  figure.x = {spec.label, spec.unit};
  figure.y = {{spec.noun, "", Axis::Scale::kCategory}};
  if (bars.size() > kMostBars + 1) {  // one more bar takes no more room than the bar for the rest
    double rest = 0;
    for (size_t i = kMostBars; i < bars.size(); ++i) rest += bars[i].value;
    const size_t count = bars.size() - kMostBars;
    bars.resize(kMostBars);
    if (spec.remainder == RemainingBars::kBar && spec.sums) {
      bars.push_back({fmt::format("{} others", count), rest});
      figure.note = fmt::format("The last bar adds up the {} other {}s.", count, spec.noun);
    } else if (spec.sums) {
      figure.note =
          fmt::format("Not drawn: {} more {}s, {} together.", count, spec.noun, figure_quantity(rest, spec.unit));
    } else {
      figure.note = fmt::format("Not drawn: {} more {}s.", count, spec.noun);
    }
  }
  Series series{spec.label, spec.unit};
  for (size_t i = 0; i < bars.size(); ++i) {
    FigurePoint point{bars[i].value, static_cast<double>(i), 0, bars[i].row};
    if (bars[i].low <= bars[i].high) {
      point.low = bars[i].low;
      point.high = bars[i].high;
    }
    series.points.push_back(point);
    figure.labels.push_back(figure_label(bars[i].label));
  }
  figure.series.push_back(std::move(series));
  return figure;
}

void add_cumulative_share(double whole, Figure* figure) {
  if (!(whole > 0)) return;
  Series share{"cumulative share", "%"};
  double sum = 0;
  for (const FigurePoint& bar : figure->series[0].points) {
    sum += bar.x;
    share.points.push_back({sum / whole * 100, bar.y, 0, bar.row});
  }
  figure->series.push_back(std::move(share));
}

std::vector<Bar> bars_of(const Table& table, const std::vector<const ColumnFacts*>& name_columns,
                         const ColumnFacts& value_column, const ColumnFacts* low_column,
                         const ColumnFacts* high_column) {
  const TableCells cells(table);
  std::vector<Bar> bars;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto value = cells.number(row, value_column);
    if (!value) continue;
    Bar bar{"", *value, row};
    for (const ColumnFacts* column : name_columns) {
      const std::string part = cells.words(row, *column);
      if (part.empty()) continue;
      if (!bar.label.empty()) bar.label += ' ';
      bar.label += part;
    }
    const auto low = low_column == nullptr ? std::nullopt : cells.number(row, *low_column);
    const auto high = high_column == nullptr ? std::nullopt : cells.number(row, *high_column);
    if (low && high) {
      bar.low = *low;
      bar.high = *high;
    }
    bars.push_back(std::move(bar));
  }
  return bars;
}

std::string missing_note(const Table& table, const ColumnFacts& value_column, const std::string& noun) {
  const TableCells cells(table);
  size_t missing = 0;
  for (size_t row = 0; row < cells.rows(); ++row) {
    if (!cells.number(row, value_column)) ++missing;
  }
  if (missing == 0) return "";
  return fmt::format("{} without {} in the trace: not drawn", figure_count(missing, noun), value_column.name);
}

}  // namespace xsp::analysis
