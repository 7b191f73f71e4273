#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure_text.h"
#include "analysis/figures/svg_drawing.h"
#include "analysis/figures/svg_figures.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr double kRow = 22;
constexpr size_t kMostLetters = 44;
constexpr double kValueRoom = 110;  // behind the longest bar, for its value

/// The series with shares on a scale of their own; null: none.
const Series* share_of(const Figure& figure) {
  for (const Series& series : figure.series) {
    if (series.unit != figure.x.unit) return &series;
  }
  return nullptr;
}

}  // namespace

std::string svg_of_bars(const Figure& figure) {
  SvgDrawing svg;
  const Series& bars = figure.series[0];
  const Series* share = share_of(figure);
  std::vector<std::string> names;
  size_t longest = 0;
  double low = 0;
  double high = 0;
  for (const FigurePoint& bar : bars.points) {
    const auto place = static_cast<size_t>(bar.y);
    names.push_back(shorten(place < figure.labels.size() ? figure.labels[place] : "", kMostLetters));
    longest = std::max(longest, display_width(names.back()));
    low = std::min({low, bar.x, bar.low <= bar.high ? bar.low : bar.x});
    high = std::max({high, bar.x, bar.low <= bar.high ? bar.high : bar.x});
  }
  const double left = 16 + SvgDrawing::kLetter * static_cast<double>(longest);
  const double right = SvgDrawing::kWidth - kValueRoom;
  double top = 8;
  if (share != nullptr) top = svg.legend(left, 14, {{1, bars.name}, {2, share->name + " (0 to 100 %)"}});
  const double bottom = top + kRow * static_cast<double>(bars.points.size());
  const Ticks ticks = linear_ticks(low, high, 6, figure.x.unit.empty());
  const SvgScale x{ticks.low, ticks.high, left, right};
  svg.horizontal_axis(x, ticks, top, bottom, axis_label(figure.x));
  for (size_t i = 0; i < bars.points.size(); ++i) {
    const FigurePoint& bar = bars.points[i];
    const double y = top + kRow * static_cast<double>(i);
    const double from = x.at(std::min(bar.x, 0.0));
    const double to = x.at(std::max(bar.x, 0.0));
    svg.rect(from, y + 3, to - from, kRow - 6, 1, bar.row == kOfNoRow);
    double end = to;
    if (bar.low <= bar.high) {
      const double middle = y + kRow / 2;
      svg.line(x.at(bar.low), middle, x.at(bar.high), middle, "whisker");
      svg.line(x.at(bar.low), middle - 4, x.at(bar.low), middle + 4, "whisker");
      svg.line(x.at(bar.high), middle - 4, x.at(bar.high), middle + 4, "whisker");
      end = std::max(end, x.at(bar.high));
    }
    svg.text(left - 6, y + kRow / 2 + 4, "end", "ink", names[i]);
    svg.text(end + 6, y + kRow / 2 + 4, "start", "quiet", figure_quantity(bar.x, bars.unit));
  }
  if (share != nullptr) {
    const SvgScale percent{0, 100, left, right};
    std::string line;
    for (const FigurePoint& point : share->points) {
      line += fmt::format("{:.1f},{:.1f} ", percent.at(point.x), top + kRow * (point.y + 0.5));
    }
    svg.polyline(line, 2);
    for (const FigurePoint& point : share->points) svg.circle(percent.at(point.x), top + kRow * (point.y + 0.5), 3, 2);
  }
  svg.line(x.at(0), top, x.at(0), bottom, "axis");
  return svg.finish(figure, bottom + 44, "");
}

}  // namespace xsp::analysis
