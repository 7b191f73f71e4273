#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "analysis/figures/svg_drawing.h"
#include "analysis/figures/svg_figures.h"

namespace xsp::analysis {
namespace {

constexpr double kLinesLeft = 70;
constexpr double kLinesRight = SvgDrawing::kWidth - 20;
constexpr double kPanel = 190;

}  // namespace

std::string svg_of_lines(const Figure& figure) {
  SvgDrawing svg;
  std::vector<std::string> names;  // a series has one colour in all panels
  double x_low = std::numeric_limits<double>::max();
  double x_high = 0;
  std::set<double> places;
  for (const Series& series : figure.series) {
    if (std::find(names.begin(), names.end(), series.name) == names.end()) names.push_back(series.name);
    for (const FigurePoint& point : series.points) {
      x_low = std::min(x_low, point.x);
      x_high = std::max(x_high, point.x);
      places.insert(point.x);
    }
  }
  const auto color_of = [&](const Series& series) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), series.name) - names.begin()) % 8 + 1;
  };
  double top = 10;
  if (names.size() > 1) {
    std::vector<std::pair<size_t, std::string>> items;
    for (size_t i = 0; i < names.size(); ++i) items.emplace_back(i % 8 + 1, names[i]);
    top = svg.legend(kLinesLeft, 14, items);
  }
  SvgScale x{x_low / 1.1, x_high * 1.1, kLinesLeft, kLinesRight, true};
  Ticks x_ticks{x_low, x_high, {places.begin(), places.end()}};
  // Above the plot, where no line is.
  for (const Mark& mark : figure.marks) {
    const double at = x.at(mark.x);
    const bool left = at > (kLinesLeft + kLinesRight) / 2;
    svg.text(at, top + 6, left ? "end" : "start", "ink", mark.name);
    top += 15;
  }
  double bottom = top;
  for (size_t panel = 0; panel < figure.y.size(); ++panel) {
    bottom = top + kPanel;
    double low = std::numeric_limits<double>::max();
    double high = 0;
    for (const Series& series : figure.series) {
      if (series.panel != panel) continue;
      for (const FigurePoint& point : series.points) {
        low = std::min(low, point.low <= point.high && point.low > 0 ? std::min(point.low, point.y) : point.y);
        high = std::max(high, point.low <= point.high ? std::max(point.high, point.y) : point.y);
      }
    }
    const bool logarithmic = figure.y[panel].scale == Axis::Scale::kLog10 && low > 0;
    const Ticks ticks = logarithmic ? logarithmic_ticks(low, high, 10) : linear_ticks(0, high, 5);
    const SvgScale y{ticks.low, ticks.high, bottom, top, logarithmic};
    svg.horizontal_axis(x, x_ticks, top, bottom, panel + 1 == figure.y.size() ? axis_label(figure.x) : "");
    svg.vertical_axis(y, ticks, kLinesLeft, kLinesRight, axis_label(figure.y[panel]));
    for (const Mark& mark : figure.marks) svg.line(x.at(mark.x), top, x.at(mark.x), bottom, "mark");
    for (const Series& series : figure.series) {
      if (series.panel != panel || series.points.empty()) continue;
      std::string line;
      for (const FigurePoint& point : series.points)
        line += fmt::format("{:.1f},{:.1f} ", x.at(point.x), y.at(point.y));
      svg.polyline(line, color_of(series));
      for (const FigurePoint& point : series.points) {
        if (point.low <= point.high && (!logarithmic || point.low > 0)) {
          svg.line(x.at(point.x), y.at(point.low), x.at(point.x), y.at(point.high), "whisker");
        }
        svg.circle(x.at(point.x), y.at(point.y), 4, color_of(series));
      }
    }
    top = bottom + 28;
  }
  return svg.finish(figure, bottom + 44, "");
}

}  // namespace xsp::analysis
