#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/figures/figure_text.h"
#include "analysis/figures/svg_drawing.h"
#include "analysis/figures/svg_figures.h"

namespace xsp::analysis {
namespace {

constexpr double kStatesWidth = 480;  // so that it can be read on a narrow page
constexpr double kPitch = 170;
constexpr double kFirst = 70;
constexpr double kLeastRadius = 9;
constexpr double kMostRadius = 42;
constexpr double kTitle = 16;
constexpr double kAbove = 68;   // from a panel's title to the middle of its nodes
constexpr double kBelow = 106;  // and from there to the next panel
constexpr std::array<size_t, 3> kStateColors = {4, 2, 3};

/// Areas are shares of the whole.
double radius_of(double percent) {
  return std::max(kLeastRadius, kMostRadius * std::sqrt(std::min(1.0, percent / 100)));
}

double place_of(size_t state) { return kFirst + kPitch * static_cast<double>(state); }

void draw_link(const Series& series, const Link& link, double middle, SvgDrawing* svg) {
  if (link.to < link.from) {
    const double low = middle + kBelow - 20;
    svg->line(place_of(link.from), low - 18, place_of(link.from), low, "axis");
    svg->line(place_of(link.from), low, place_of(link.to), low, "axis");
    svg->arrow(place_of(link.to), low, place_of(link.to), low - 18);
    svg->text((place_of(link.from) + place_of(link.to)) / 2, low - 5, "middle", "quiet", link.name);
    return;
  }
  const double from = place_of(link.from) + radius_of(series.points[link.from].size) + 4;
  const double to = place_of(link.to) - radius_of(series.points[link.to].size) - 4;
  svg->arrow(from, middle, to, middle);
  const size_t blank = link.name.find(' ');
  if (blank == std::string::npos) return;
  svg->text((from + to) / 2, middle - 6, "middle", "quiet", link.name.substr(0, blank));
  svg->text((from + to) / 2, middle + 15, "middle", "quiet", link.name.substr(blank + 1));
}

}  // namespace

std::string svg_of_states(const Figure& figure) {
  SvgDrawing svg;
  double top = 4;
  for (const Series& series : figure.series) {
    svg.text(0, top + kTitle - 4, "start", "ink", figure.y[series.panel].label);
    const double middle = top + kTitle + kAbove;
    std::array<bool, kStateColors.size()> linked = {};
    for (const Link& link : figure.links) {
      if (link.panel != series.panel) continue;
      draw_link(series, link, middle, &svg);
      linked[link.from] = linked[link.to] = true;
    }
    for (size_t state = 0; state < series.points.size(); ++state) {
      if (!linked[state]) continue;
      const FigurePoint& point = series.points[state];
      const double x = place_of(state);
      svg.circle(x, middle, radius_of(point.size), kStateColors[state], true);
      svg.text(x, middle - kMostRadius - 8, "middle", "ink", figure.labels[static_cast<size_t>(point.y)]);
      svg.text(x, middle + kMostRadius + 16, "middle", "ink",
               fmt::format("{}, {}", figure_quantity(point.x, series.unit), figure_percent(point.size)));
    }
    top = middle + kBelow;
  }
  return svg.finish(figure, top, "", kStatesWidth);
}

}  // namespace xsp::analysis
