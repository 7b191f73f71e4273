#include "analysis/figures/concurrency_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/figures/figure_text.h"
#include "analysis/tables/concurrency_curves.h"
#include "analysis/tables/table_cells.h"
#include "proto/report_columns.h"

namespace xsp::analysis {
namespace {

/// With the model as many as there are colours.
constexpr size_t kMostDrawnLayers = 7;
constexpr size_t kMostNamesOfMark = 3;
/// Values that lie further apart than this are drawn on a logarithmic axis.
constexpr double kMostLinear = 10;

struct MeasuredTime {
  double threads = 0;
  double ms = 0;
  size_t row = 0;
  bool is_probe = false;
};

/// The measured times of the model or of a layer, by number of threads.
struct DrawnCurve {
  std::string index;  // empty: the model
  std::string name;
  std::vector<MeasuredTime> times;

  bool is_model() const { return index.empty(); }

  /// Of the probes, the fewest threads with the shortest time: what climb() finds. Null where there is no probe.
  const MeasuredTime* best() const {
    const MeasuredTime* found = nullptr;
    for (const MeasuredTime& time : times) {
      if (time.is_probe && (found == nullptr || time.ms < found->ms)) found = &time;
    }
    return found;
  }
};

std::vector<DrawnCurve> drawn_curves(const TableCells& cells) {
  std::vector<DrawnCurve> curves;
  std::map<std::pair<std::string, std::string>, size_t> places;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto threads = cells.number(row, kE1.threads);
    const auto ms = cells.number(row, kE1.latency_ms);
    if (!threads || *threads <= 0 || !ms || cells.text(row, kE1.source) != "measured") continue;
    const std::string index = cells.words(row, kE1.layer_index);
    const std::string name = cells.text(row, kE1.name);
    const auto [found, is_new] = places.emplace(std::pair(index, name), curves.size());
    if (is_new) curves.push_back({index, name, {}});
    curves[found->second].times.push_back({*threads, *ms, row, cells.truth(row, kE1.probe).value_or(false)});
  }
  for (DrawnCurve& curve : curves) {
    std::stable_sort(curve.times.begin(), curve.times.end(),
                     [](const MeasuredTime& a, const MeasuredTime& b) { return a.threads < b.threads; });
  }
  return curves;
}

/// Layers of one name are told apart by their positions.
void name_curves(std::vector<DrawnCurve>* curves) {
  std::map<std::string, size_t> seen;
  for (DrawnCurve& curve : *curves) {
    if (curve.name.empty()) curve.name = curve.is_model() ? "model" : "layer " + curve.index;
    ++seen[curve.name];
  }
  for (DrawnCurve& curve : *curves) {
    std::string name = figure_label(curve.name);
    if (seen[curve.name] > 1) name += curve.is_model() ? " (model)" : fmt::format(" (layer {})", curve.index);
    curve.name = std::move(name);
  }
}

/// The layers that take longest with the fewest threads, in the order of the table.
std::vector<const DrawnCurve*> longest_layers(const std::vector<DrawnCurve>& curves) {
  std::vector<const DrawnCurve*> layers;
  for (const DrawnCurve& curve : curves) {
    if (!curve.is_model()) layers.push_back(&curve);
  }
  if (layers.size() <= kMostDrawnLayers) return layers;
  std::stable_sort(layers.begin(), layers.end(),
                   [](const DrawnCurve* a, const DrawnCurve* b) { return a->times.front().ms > b->times.front().ms; });
  layers.resize(kMostDrawnLayers);
  std::sort(layers.begin(), layers.end());
  return layers;
}

std::string thread_count(double threads) { return figure_count(static_cast<size_t>(threads), "thread"); }

/// One for each number of threads that is best for something drawn.
std::vector<Mark> marks_of_best(const std::vector<const DrawnCurve*>& drawn) {
  std::map<double, std::vector<std::string>> names;
  for (const DrawnCurve* curve : drawn) {
    const MeasuredTime* best = curve->best();
    if (best != nullptr) names[best->threads].push_back(figure_name(curve->name));
  }
  std::vector<Mark> marks;
  for (const auto& [threads, best_for] : names) {
    std::string text = thread_count(threads) + ": best for ";
    for (size_t i = 0; i < std::min(best_for.size(), kMostNamesOfMark); ++i) {
      if (i != 0) text += ", ";
      text += best_for[i];
    }
    if (best_for.size() > kMostNamesOfMark) text += fmt::format(" and {} more", best_for.size() - kMostNamesOfMark);
    marks.push_back({std::move(text), threads});
  }
  return marks;
}

void add_panel(const std::vector<const DrawnCurve*>& curves, std::string label, const std::string& unit,
               Figure* figure) {
  double low = 0;
  double high = 0;
  for (const DrawnCurve* curve : curves) {
    Series series{curve->name, unit, figure->y.size()};
    for (const MeasuredTime& time : curve->times) {
      series.points.push_back({time.threads, time.ms, 0, time.row});
      low = high == 0 ? time.ms : std::min(low, time.ms);
      high = std::max(high, time.ms);
    }
    figure->series.push_back(std::move(series));
  }
  const bool is_wide = low > 0 && high > kMostLinear * low;
  figure->y.push_back({std::move(label), unit, is_wide ? Axis::Scale::kLog10 : Axis::Scale::kLinear});
}

/// "net takes 15.5 ms with 1 thread and 12.4 ms with 2, its best, 1.25 times as fast; 26.35 ms with 8".
std::string model_sentence(const DrawnCurve& model, const std::string& unit) {
  const MeasuredTime& first = model.times.front();
  const MeasuredTime& last = model.times.back();
  const MeasuredTime* best = model.best();
  std::string text = fmt::format("{} takes {} with {}", figure_name(model.name), figure_quantity(first.ms, unit),
                                 thread_count(first.threads));
  if (best == nullptr) return text;
  if (best->threads == first.threads) {
    text += ", its best";
  } else {
    text += fmt::format(" and {} with {:g}, its best", figure_quantity(best->ms, unit), best->threads);
    if (best->ms > 0) text += fmt::format(", {} times as fast", figure_number(first.ms / best->ms));
  }
  if (last.threads > best->threads) text += fmt::format("; {} with {:g}", figure_quantity(last.ms, unit), last.threads);
  return text;
}

/// "Of 53 layers, 2 threads are best for 40, 1 thread for 13", with most layers first.
std::string layers_sentence(const std::vector<DrawnCurve>& curves) {
  constexpr size_t kMostTold = 4;
  std::map<double, size_t> layers_by_best;
  size_t layers = 0;
  for (const DrawnCurve& curve : curves) {
    const MeasuredTime* best = curve.is_model() ? nullptr : curve.best();
    if (best == nullptr) continue;
    ++layers;
    ++layers_by_best[best->threads];
  }
  if (layers == 0) return {};
  std::vector<std::pair<double, size_t>> ranked(layers_by_best.begin(), layers_by_best.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = fmt::format("Of {}, {} {} best for {}", figure_count(layers, "layer"),
                                 thread_count(ranked[0].first), ranked[0].first == 1 ? "is" : "are", ranked[0].second);
  for (size_t i = 1; i < std::min(ranked.size(), kMostTold); ++i) {
    text += fmt::format(", {} for {}", thread_count(ranked[i].first), ranked[i].second);
  }
  if (ranked.size() > kMostTold) text += ", other numbers for the rest";
  return text;
}

std::vector<std::string> notes_of(const Table& table, const std::vector<DrawnCurve>& curves, size_t drawn_layers) {
  std::vector<std::string> notes;
  size_t layers = 0;
  std::set<double> tried;
  std::set<double> others;
  for (const DrawnCurve& curve : curves) {
    if (!curve.is_model()) ++layers;
    for (const MeasuredTime& time : curve.times) (time.is_probe ? tried : others).insert(time.threads);
  }
  if (layers > drawn_layers) {
    notes.push_back(fmt::format("drawn: the {} of {} that take longest with the fewest threads", drawn_layers,
                                figure_count(layers, "layer")));
  }
  std::string beside;
  for (const double threads : others) {
    if (tried.contains(threads)) continue;
    beside += fmt::format("{}{:g}", beside.empty() ? "" : ", ", threads);
  }
  if (!beside.empty()) notes.push_back("measured beside the search for the best: " + figure_label(beside) + " threads");
  for (const Extra& extra : table.extras) {
    for (const auto& [field, value] : extra.fields) {
      if (field == report_columns::thread_curves::kEnded && value == Cell(false)) {
        notes.emplace_back("the search is not at its end: more threads may be better");
      }
    }
  }
  return notes;
}

}  // namespace

std::vector<Figure> concurrency_figures(const Table& table) {
  const TableCells cells(table);
  std::vector<DrawnCurve> curves = drawn_curves(cells);
  const bool is_curve =
      std::any_of(curves.begin(), curves.end(), [](const DrawnCurve& curve) { return curve.times.size() > 1; });
  if (!is_curve) return {};
  name_curves(&curves);
  Figure figure;
  figure.id = "E1.curves";
  figure.table = table.id;
  figure.title = "Latency over numbers of threads";
  figure.kind = FigureKind::kLines;
  figure.x = {"threads", "", Axis::Scale::kLog2};
  const std::string unit = cells.unit(kE1.latency_ms);
  std::vector<const DrawnCurve*> models;
  for (const DrawnCurve& curve : curves) {
    if (curve.is_model()) models.push_back(&curve);
  }
  const std::vector<const DrawnCurve*> layers = longest_layers(curves);
  if (!models.empty()) add_panel(models, "model latency", unit, &figure);
  if (!layers.empty()) add_panel(layers, "layer latency", unit, &figure);
  std::vector<const DrawnCurve*> drawn = models;
  drawn.insert(drawn.end(), layers.begin(), layers.end());
  figure.marks = marks_of_best(drawn);
  figure.finding =
      sentences({models.empty() ? std::string() : model_sentence(*models[0], unit), layers_sentence(curves)});
  figure.note = sentences(notes_of(table, curves, layers.size()));
  return {std::move(figure)};
}

}  // namespace xsp::analysis
