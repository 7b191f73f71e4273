#include "analysis/figures/iteration_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/figures/figure_text.h"
#include "analysis/tables/iterations.h"
#include "analysis/tables/table_cells.h"

namespace xsp::analysis {
namespace {

constexpr double kDeepest = 7;    // level; what lies deeper is drawn there
constexpr size_t kMostNamed = 7;  // loops with a name and colours of their own

enum Agreement : size_t { kAsPattern, kDeviating, kOutlier, kAgreements };

struct IterationBar {
  FigurePoint point;  // y: deviations
  size_t loop = 0;    // place in `Strip::loops`
};

struct StripLoop {
  std::string name;
  size_t level = 0;
  std::vector<double> durations;  // sorted
  size_t counts[kAgreements] = {};
  std::vector<std::string> outliers;  // the iterations

  double quantile(double share) const {
    return durations[static_cast<size_t>(std::lround(share * static_cast<double>(durations.size() - 1)))];
  }
  double median() const { return quantile(0.5); }
  /// With few iterations nothing can be said.
  bool is_outlier(double duration) const {
    constexpr size_t kLeast = 5;
    if (durations.size() < kLeast) return false;
    const double spread = std::max(quantile(0.75) - quantile(0.25), median() / 300);
    return duration > quantile(0.75) + 3 * spread;
  }
};

struct Strip {
  std::vector<StripLoop> loops;    // in order of level, then of appearance
  std::vector<IterationBar> bars;  // in order of the table
  size_t missing = 0;              // rows without a time
};

std::string loop_name(const std::string& recorded) {
  return recorded.empty() ? "iterations" : "loop " + figure_label(recorded);
}

Strip strip_of(const TableCells& cells) {
  Strip strip;
  std::map<std::pair<size_t, std::string>, size_t> places;
  for (size_t row = 0; row < cells.rows(); ++row) {
    const auto start = cells.number(row, kD1.start_ms);
    const auto end = cells.number(row, kD1.end_ms);
    if (!start || !end || *end < *start) {
      ++strip.missing;
      continue;
    }
    const auto level = static_cast<size_t>(std::clamp(cells.number(row, kD1.level).value_or(0), 0.0, kDeepest));
    const std::string recorded = cells.words(row, kD1.loop);
    const auto [found, is_new] = places.emplace(std::pair(level, recorded), strip.loops.size());
    if (is_new) strip.loops.push_back({loop_name(recorded), level, {}, {}, {}});
    const double duration = cells.number(row, kD1.duration_ms).value_or(*end - *start);
    strip.bars.push_back(
        {{*start, std::max(0.0, cells.number(row, kD1.deviations).value_or(0)), duration, row}, found->second});
    strip.loops[found->second].durations.push_back(duration);
  }
  for (StripLoop& loop : strip.loops) std::sort(loop.durations.begin(), loop.durations.end());
  return strip;
}

Agreement agreement_of(const Strip& strip, const IterationBar& bar) {
  if (strip.loops[bar.loop].is_outlier(bar.point.size)) return kOutlier;
  return bar.point.y > 0 ? kDeviating : kAsPattern;
}

/// Neighbours of one loop as one bar, from the begin of the first to the end of the last. It deviates where one does.
struct MergedBar {
  FigurePoint point;
  double longest = 0;

  void add(const FigurePoint& next) {
    if (point.count == 0) point.x = next.x;
    point.size = std::max(point.size, next.x + next.size - point.x);
    point.y = std::max(point.y, next.y);
    if (point.count++ == 0 || next.size > longest) {
      point.row = next.row;
      longest = next.size;
    }
  }
};

constexpr size_t kMostListed = 5;

std::string list_of(const StripLoop& loop) {
  const size_t more = loop.counts[kOutlier] - loop.outliers.size();
  return fmt::format("{}{}", fmt::join(loop.outliers, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

std::string finding_of(const StripLoop& loop, const std::string& unit) {
  std::string name = loop.name;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  std::string text =
      fmt::format("{}: {}, each {} to {} {}, half of them at most {}", name,
                  figure_count(loop.durations.size(), "iteration"), figure_number(loop.durations.front()),
                  figure_number(loop.durations.back()), unit, figure_quantity(loop.median(), unit));
  if (loop.durations.size() == 1) {
    text = fmt::format("{}: 1 iteration of {}", name, figure_quantity(loop.median(), unit));
  }
  if (!loop.outliers.empty()) {
    text += fmt::format("; {} (iteration {})", figure_count(loop.counts[kOutlier], "outlier"), list_of(loop));
  }
  if (loop.counts[kDeviating] != 0) text += fmt::format("; {} deviate from the pattern", loop.counts[kDeviating]);
  return text;
}

}  // namespace

std::vector<Figure> iteration_figures(const Table& table) {
  const TableCells cells(table);
  Strip strip = strip_of(cells);
  if (strip.bars.empty()) return {};

  Figure figure;
  figure.id = "D1.strip";
  figure.table = table.id;
  figure.title = "Iterations along time";
  figure.kind = FigureKind::kStrip;
  figure.x = {"time since the first operation", cells.unit(kD1.start_ms)};
  std::vector<size_t> order(strip.loops.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return strip.loops[a].level < strip.loops[b].level; });
  constexpr std::string_view kNames[kAgreements] = {"", ", deviating", ", outliers"};
  std::vector<size_t> first_series(strip.loops.size());  // of a loop
  std::map<size_t, size_t> of_others;                    // by level, of the loops without a name
  for (size_t i = 0; i < order.size(); ++i) {
    const StripLoop& loop = strip.loops[order[i]];
    const bool is_named = i < kMostNamed || order.size() == kMostNamed + 1;
    first_series[order[i]] = figure.series.size();
    if (!is_named) {
      const auto [others, is_new] = of_others.emplace(loop.level, figure.series.size());
      first_series[order[i]] = others->second;
      if (!is_new) continue;
    }
    for (size_t agreement = 0; agreement < kAgreements; ++agreement) {
      Series series{fmt::format("{}{}", is_named ? loop.name : "other loops", kNames[agreement]), figure.x.unit};
      series.depth = loop.level;
      series.muted = agreement == kAsPattern;
      series.marked = agreement == kOutlier;
      series.color = std::min(i, kMostNamed);
      figure.series.push_back(std::move(series));
    }
    while (figure.y.size() <= loop.level) {
      figure.y.push_back({fmt::format("level {}", figure.y.size()), "", Axis::Scale::kCategory});
    }
  }
  const size_t step = (strip.bars.size() + kMostStripBars - 1) / kMostStripBars;
  std::vector<MergedBar> open(strip.loops.size(), MergedBar{{0, 0, 0, 0, kNoBound, kNoBound, 0}});
  const auto close = [&](size_t loop) {
    const FigurePoint point = std::exchange(open[loop].point, {0, 0, 0, 0, kNoBound, kNoBound, 0});
    if (point.count == 0) return;
    figure.series[first_series[loop] + (point.y > 0 ? kDeviating : kAsPattern)].points.push_back(point);
  };
  for (const IterationBar& bar : strip.bars) {
    const Agreement agreement = agreement_of(strip, bar);
    StripLoop& loop = strip.loops[bar.loop];
    ++loop.counts[agreement];
    if (agreement == kOutlier) {
      close(bar.loop);
      if (loop.outliers.size() < kMostListed) loop.outliers.push_back(cells.words(bar.point.row, kD1.iteration));
      figure.series[first_series[bar.loop] + kOutlier].points.push_back(bar.point);
      continue;
    }
    open[bar.loop].add(bar.point);
    if (open[bar.loop].point.count == step) close(bar.loop);
  }
  for (size_t loop = 0; loop < open.size(); ++loop) close(loop);
  std::erase_if(figure.series, [](const Series& series) { return series.points.empty(); });

  std::vector<std::string> findings;
  for (const size_t place : order) findings.push_back(finding_of(strip.loops[place], figure.x.unit));
  constexpr size_t kMostFindings = 4;
  if (findings.size() > kMostFindings) {
    const size_t more = findings.size() - kMostFindings;
    findings.resize(kMostFindings);
    findings.push_back(fmt::format("{} more", figure_count(more, "loop")));
  }
  figure.finding = sentences(findings);
  std::vector<std::string> notes;
  const auto any = [&](bool Series::*is, bool value) {
    return std::any_of(figure.series.begin(), figure.series.end(), [&](const Series& s) { return s.*is == value; });
  };
  if (any(&Series::muted, false)) notes.emplace_back("Strong colours: deviates from the pattern, or is an outlier");
  if (any(&Series::marked, true)) {
    notes.emplace_back(
        "Outliers are marked: longer than the third quartile of the loop by three times the distance of its quartiles, "
        "as "
        "in box plots; what D4 says of them is a test");
  }
  if (strip.missing != 0)
    notes.push_back(fmt::format("{} without times not drawn", figure_count(strip.missing, "row")));
  if (step > 1)
    notes.push_back(fmt::format("Each bar is up to {} consecutive iterations; it deviates if one of them does", step));
  figure.note = sentences(notes);
  return {std::move(figure)};
}

}  // namespace xsp::analysis
