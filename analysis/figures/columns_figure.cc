#include "analysis/figures/columns_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_text.h"
#include "analysis/tables/shared_columns.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// Where each stage lies: half a step beyond its first and last row, so that stages touch.
std::vector<Region> stages_of(const TableCells& cells, const std::vector<std::optional<double>>& places) {
  std::vector<Region> stages;
  for (size_t row = 0; row < places.size(); ++row) {
    const std::string stage = cells.text(row, columns::kStage);
    if (!places[row] || stage.empty()) continue;
    auto found = std::find_if(stages.begin(), stages.end(), [&](const Region& r) { return r.name == stage; });
    if (found == stages.end()) {
      stages.push_back({stage, *places[row] - 0.5, *places[row] + 0.5});
    } else {
      found->from = std::min(found->from, *places[row] - 0.5);
      found->to = std::max(found->to, *places[row] + 0.5);
    }
  }
  std::sort(stages.begin(), stages.end(), [](const Region& a, const Region& b) { return a.from < b.from; });
  for (size_t i = 1; i < stages.size(); ++i) stages[i - 1].to = stages[i].from;  // rows that --top left out
  return stages;
}

/// The largest of each `step` points that follow one another.
std::vector<FigurePoint> largest_of(const std::vector<FigurePoint>& points, size_t step) {
  std::vector<FigurePoint> largest;
  for (size_t from = 0; from < points.size(); from += step) {
    const size_t to = std::min(points.size(), from + step);
    largest.push_back(*std::max_element(points.begin() + static_cast<std::ptrdiff_t>(from),
                                        points.begin() + static_cast<std::ptrdiff_t>(to),
                                        [](const FigurePoint& a, const FigurePoint& b) { return a.y < b.y; }));
  }
  return largest;
}

/// The parts of the rows that have all of them.
std::vector<Series> stacked_series(const TableCells& cells, const ColumnsSpec& spec,
                                   const std::vector<std::optional<double>>& places) {
  std::vector<Series> series;
  for (const ColumnsSpec::Panel& part : spec.panels) series.push_back({part.label, cells.unit(*part.column)});
  for (size_t row = 0; row < cells.rows(); ++row) {
    const bool whole = std::all_of(spec.panels.begin(), spec.panels.end(),
                                   [&](const auto& part) { return cells.number(row, *part.column).has_value(); });
    if (!whole || !places[row]) continue;
    for (size_t part = 0; part < series.size(); ++part) {
      series[part].points.push_back({*places[row], *cells.number(row, *spec.panels[part].column), 0, row});
    }
  }
  return series;
}

}  // namespace

std::optional<Figure> columns_figure(const Table& table, const ColumnsSpec& spec) {
  const TableCells cells(table);
  std::vector<std::optional<double>> places(cells.rows());
  size_t unplaced = 0;
  for (size_t row = 0; row < cells.rows(); ++row) {
    places[row] = spec.index_column == nullptr ? std::optional<double>(row) : cells.number(row, *spec.index_column);
    if (!places[row]) ++unplaced;
  }

  Figure figure;
  figure.id = spec.id;
  figure.table = table.id;
  figure.title = spec.title;
  figure.kind = spec.stacked ? FigureKind::kStacked : FigureKind::kColumns;
  figure.x = {spec.noun, ""};
  std::vector<std::string> notes;
  if (spec.stacked) {
    figure.series = stacked_series(cells, spec, places);
    if (figure.series.empty() || figure.series[0].points.empty()) return {};
    figure.y.push_back({"latency", figure.series[0].unit});
    if (const size_t missing = cells.rows() - unplaced - figure.series[0].points.size(); missing != 0) {
      notes.push_back(fmt::format("{} not drawn: their parts are not in the trace", figure_count(missing, spec.noun)));
    }
  } else {
    for (const ColumnsSpec::Panel& panel : spec.panels) {
      Series series{panel.label, cells.unit(*panel.column), figure.y.size()};
      for (size_t row = 0; row < cells.rows(); ++row) {
        const auto value = cells.number(row, *panel.column);
        if (value && places[row]) series.points.push_back({*places[row], *value, 0, row});
      }
      if (series.points.empty()) continue;
      if (const size_t missing = cells.rows() - unplaced - series.points.size(); missing != 0) {
        notes.push_back(
            fmt::format("{} without {} in the trace: not drawn", figure_count(missing, spec.noun), panel.label));
      }
      if (const size_t step = (series.points.size() + kMostColumns - 1) / kMostColumns; step > 1) {
        notes.push_back(
            fmt::format("{}: each column shows the largest of {} consecutive {}s", panel.label, step, spec.noun));
        series.points = largest_of(series.points, step);
      }
      figure.y.push_back({panel.label, series.unit});
      figure.series.push_back(std::move(series));
    }
    if (figure.series.empty()) return {};
  }
  if (unplaced != 0) notes.push_back(fmt::format("{} of no {} not drawn", figure_count(unplaced, "row"), spec.noun));
  const bool of_kernels = spec.name_column != nullptr && spec.name_column->name == columns::kKernelName.name;
  const auto label_of = of_kernels ? kernel_label : figure_label;
  figure.labels.resize(cells.rows());
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      std::string& label = figure.labels[point.row];
      if (label.empty() && spec.name_column != nullptr) label = label_of(cells.words(point.row, *spec.name_column));
    }
  }
  if (cells.has(columns::kStage)) figure.regions = stages_of(cells, places);
  figure.note = sentences(notes);
  return figure;
}

}  // namespace xsp::analysis
