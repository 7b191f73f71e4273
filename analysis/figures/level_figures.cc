#include "analysis/figures/level_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/figures/bars_figure.h"
#include "analysis/figures/figure_text.h"
#include "analysis/tables/levels.h"
#include "analysis/tables/nested_picture.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

/// Rows of L1 by what events of the picture know of themselves.
std::map<std::string, size_t> rows_by_event(const TableCells& levels) {
  std::map<std::string, size_t> rows;
  for (size_t row = 0; row < levels.rows(); ++row) {
    rows.emplace(levels.words(row, kL1.level_set) + "\n" + levels.words(row, kL1.event_level) + "\n" +
                     levels.words(row, kL1.layer_index),
                 row);
  }
  return rows;
}

std::optional<Figure> nested_figure(const Table& levels, const Table& picture) {
  const TableCells cells(picture);
  const TableCells rows(levels);
  const auto events = rows_by_event(rows);
  Figure figure;
  figure.id = "L1.nested";
  figure.table = levels.id;
  figure.title = "Nested events of each level set";
  figure.kind = FigureKind::kNested;
  figure.x = {"time in the step or call", cells.unit(kL1Nested.begin_ms)};
  std::vector<std::string> sets;
  std::vector<std::string> depths;
  std::vector<std::pair<std::string, double>> models;
  size_t missing = 0;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto begin = cells.number(row, kL1Nested.begin_ms);
    const auto latency = cells.number(row, kL1Nested.latency_ms);
    if (!begin || !latency) {
      ++missing;
      continue;
    }
    const std::string set = cells.words(row, kL1Nested.level_set);
    const std::string level = cells.words(row, kL1Nested.event_level);
    const auto place_in = [](std::vector<std::string>* list, const std::string& what) {
      const auto found = std::find(list->begin(), list->end(), what);
      if (found != list->end()) return static_cast<size_t>(found - list->begin());
      list->push_back(what);
      return list->size() - 1;
    };
    const size_t panel = place_in(&sets, set);
    const size_t depth = place_in(&depths, level);
    const bool accurate = cells.words(row, kL1Nested.accurate) == "yes";
    const bool single = level == "model" || level == "layer";
    auto series = std::find_if(figure.series.begin(), figure.series.end(), [&](const Series& s) {
      return s.panel == panel && s.depth == depth && s.muted == !accurate;
    });
    if (series == figure.series.end()) {
      Series made{accurate ? level : level + ", with overhead", cells.unit(kL1Nested.latency_ms), panel};
      made.depth = depth;
      made.muted = !accurate;
      series = figure.series.insert(figure.series.end(), std::move(made));
    }
    const auto found = events.find(set + "\n" + level + "\n" + cells.words(row, kL1Nested.layer_index));
    series->points.push_back({*begin, static_cast<double>(figure.labels.size()), *latency,
                              single && found != events.end() ? found->second : kOfNoRow});
    figure.labels.push_back(figure_label(cells.words(row, kL1Nested.name)));
    if (level == "model") models.emplace_back(set, *latency);
  }
  if (figure.series.empty()) return {};
  for (const std::string& set : sets) figure.y.push_back({figure_label(set), "", Axis::Scale::kCategory});
  std::string finding;
  for (const auto& [set, latency] : models) {
    finding += fmt::format("{}{} ms with {}", finding.empty() ? "The model takes " : ", ", figure_number(latency),
                           figure_name(set));
  }
  figure.finding = sentences({finding});
  std::vector<std::string> notes;
  if (missing != 0) notes.push_back(fmt::format("{} without a time not drawn", figure_count(missing, "event")));
  for (const std::string& note : picture.notes) {
    if (note.find("left out") != std::string::npos) notes.push_back(note);
  }
  figure.note = sentences(notes);
  return figure;
}

std::optional<Figure> overhead_figure(const Table& table) {
  const TableCells cells(table);
  std::vector<Bar> bars;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto overhead = cells.number(row, kL1.overhead_ms);
    if (!overhead || cells.words(row, kL1.event_level) != "model") continue;
    Bar bar{cells.words(row, kL1.level_set), *overhead, row};
    const auto low = cells.number(row, kL1.overhead_low_ms);
    const auto high = cells.number(row, kL1.overhead_high_ms);
    if (low && high) {
      bar.low = *low;
      bar.high = *high;
    }
    bars.push_back(std::move(bar));
  }
  const BarsSpec spec{"L1.overhead", "What each level costs the model, compared with the level set before it",
                      "overhead",    cells.unit(kL1.overhead_ms),
                      "level set",   RemainingBars::kNote,
                      false,         false};
  auto figure = bars_figure(table, spec, bars);
  if (!figure) return {};
  const auto& points = figure->series[0].points;
  const size_t row = std::max_element(points.begin(), points.end(), [](const FigurePoint& a, const FigurePoint& b) {
                       return a.x < b.x;
                     })->row;
  std::string finding = fmt::format("{} costs most, {}", figure_name(cells.words(row, kL1.level_set)),
                                    figure_quantity(*cells.number(row, kL1.overhead_ms), spec.unit));
  if (const auto percent = cells.number(row, kL1.overhead_pct))
    finding += fmt::format(" ({})", figure_percent(*percent));
  if (cells.words(row, kL1.significant) == "no") finding += ", not distinguishable from zero";
  figure->finding = sentences({finding});
  return figure;
}

}  // namespace

std::vector<Figure> level_figures(const Table& table) {
  std::vector<Figure> figures;
  if (const Table* part = part_of(table, kL1Nested); part != nullptr) {
    if (auto figure = nested_figure(table, *part)) figures.push_back(std::move(*figure));
  }
  if (auto figure = overhead_figure(table)) figures.push_back(std::move(*figure));
  return figures;
}

}  // namespace xsp::analysis
