#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/svg_drawing.h"
#include "analysis/figures/svg_figures.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr double kNestedLeft = 110;
constexpr double kNestedRight = SvgDrawing::kWidth - 10;
constexpr double kDepthHeight = 22;
constexpr size_t kMostEvents = 400;

struct Event {
  const Series* series;
  const FigurePoint* point;
};

}  // namespace

std::string svg_of_nested(const Figure& figure) {
  SvgDrawing svg;
  std::vector<Event> events;
  std::vector<size_t> bands(figure.y.size());
  double end = 0;
  for (const Series& series : figure.series) {
    bands[series.panel] = std::max(bands[series.panel], series.depth + 1);
    for (const FigurePoint& point : series.points) {
      events.push_back({&series, &point});
      end = std::max(end, point.x + point.size);
    }
  }
  const size_t all = events.size();
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.point->size > b.point->size; });
  if (events.size() > kMostEvents) events.resize(kMostEvents);

  const double legend_end =
      svg.legend(kNestedLeft, 14, {{3, "timed right at this level set"}, {8, "with the overhead of deeper levels"}});
  const Ticks ticks = linear_ticks(0, end, 8);
  const SvgScale x{0, ticks.high, kNestedLeft, kNestedRight};
  std::vector<double> tops;
  double top = legend_end + 2;
  for (const size_t count : bands) {
    tops.push_back(top);
    top += kDepthHeight * static_cast<double>(count) + 12;
  }
  const double bottom = top - 6;
  svg.horizontal_axis(x, ticks, legend_end, bottom, axis_label(figure.x));
  for (size_t panel = 0; panel < figure.y.size(); ++panel) {
    svg.text(kNestedLeft - 8, tops[panel] + 15, "end", "ink", shorten(printable(figure.y[panel].label), 15));
  }
  for (const auto& [series, point] : events) {
    const double from = x.at(point->x);
    const double width = std::max(0.4, x.at(point->x + point->size) - from);
    const double y = tops[series->panel] + kDepthHeight * static_cast<double>(series->depth);
    svg.rect(from, y + 1, width, kDepthHeight - 3, series->muted ? 8 : 3, true);
    const auto letters = static_cast<size_t>(std::max(0.0, (width - 8) / SvgDrawing::kLetter));
    const auto place = static_cast<size_t>(point->y);
    if (letters >= 5 && place < figure.labels.size()) {
      svg.text(from + 4, y + kDepthHeight / 2 + 4, "start", "ink", shorten(figure.labels[place], letters));
    }
  }
  return svg.finish(
      figure, bottom + 54,
      all > events.size() ? fmt::format("the {} longest of {} events are drawn", events.size(), all) : "");
}

}  // namespace xsp::analysis
