#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/figures/svg_drawing.h"
#include "analysis/figures/svg_figures.h"

namespace xsp::analysis {
namespace {

constexpr double kColumnsLeft = 70;
constexpr double kColumnsRight = SvgDrawing::kWidth - 10;
constexpr double kMostColumns = 300;  // columns of a panel

struct Extent {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();
};

/// From half a step before the first column to half a step behind the last one.
Extent extent_of(const Figure& figure) {
  Extent x;
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      x.low = std::min(x.low, point.x - 0.5);
      x.high = std::max(x.high, point.x + 0.5);
    }
  }
  for (const Region& region : figure.regions) {
    x.low = std::min(x.low, region.from);
    x.high = std::max(x.high, region.to);
  }
  return x;
}

/// Columns as they are drawn: one for `width` places of the x axis that follow one another.
struct Binned {
  double low = 0;
  double width = 1;
  size_t count = 0;

  explicit Binned(const Extent& x) : low(x.low) {
    const double places = x.high - x.low;
    width = std::max(1.0, std::ceil(places / kMostColumns));
    count = static_cast<size_t>(std::ceil(places / width));
  }
  size_t of(double x) const { return std::min(count - 1, static_cast<size_t>(std::max(0.0, (x - low) / width))); }
};

void draw_regions(const Figure& figure, const SvgScale& x, double top, double bottom, SvgDrawing* svg) {
  for (size_t i = 0; i < figure.regions.size(); ++i) {
    const double from = x.at(figure.regions[i].from);
    const double to = x.at(figure.regions[i].to);
    if (i % 2 == 0) svg->shade(from, top, to - from, bottom - top);
  }
}

void name_regions(const Figure& figure, const SvgScale& x, double y, SvgDrawing* svg) {
  for (const Region& region : figure.regions) {
    const double room = x.at(region.to) - x.at(region.from);
    if (SvgDrawing::kLetter * static_cast<double>(region.name.size()) > room) continue;
    svg->text((x.at(region.from) + x.at(region.to)) / 2, y, "middle", "quiet", region.name);
  }
}

/// Whole places only: there is no layer 2.5.
Ticks place_ticks(const Extent& x) {
  Ticks ticks = linear_ticks(x.low, x.high, 10);
  std::erase_if(ticks.at, [&](double tick) { return tick < x.low || tick > x.high || tick != std::round(tick); });
  return ticks;
}

std::string merged_note(const Binned& bins, const char* how) {
  return bins.width > 1 ? fmt::format("{:.0f} neighbours a column: {}", bins.width, how) : "";
}

}  // namespace

std::string svg_of_columns(const Figure& figure) {
  SvgDrawing svg;
  const Extent extent = extent_of(figure);
  const Binned bins(extent);
  const SvgScale x{extent.low, extent.high, kColumnsLeft, kColumnsRight};
  const double panel_height = figure.y.size() > 1 ? 120 : 220;
  double top = figure.regions.empty() ? 8 : 22;
  name_regions(figure, x, top - 6, &svg);
  double bottom = top;
  for (size_t panel = 0; panel < figure.y.size(); ++panel) {
    bottom = top + panel_height;
    draw_regions(figure, x, top, bottom, &svg);
    std::vector<double> largest(bins.count, std::numeric_limits<double>::quiet_NaN());
    double low = 0;
    double high = 0;
    for (const Series& series : figure.series) {
      if (series.panel != panel) continue;
      for (const FigurePoint& point : series.points) {
        double& value = largest[bins.of(point.x)];
        if (std::isnan(value) || point.y > value) value = point.y;
        low = std::min(low, point.y);
        high = std::max(high, point.y);
      }
    }
    const Ticks ticks = linear_ticks(low, high, panel_height > 150 ? 5 : 3);
    const SvgScale y{ticks.low, ticks.high, bottom, top};
    svg.vertical_axis(y, ticks, kColumnsLeft, kColumnsRight, axis_label(figure.y[panel]));
    const double width = x.at(extent.low + bins.width) - kColumnsLeft;
    for (size_t i = 0; i < bins.count; ++i) {
      if (std::isnan(largest[i]) || largest[i] == 0) continue;
      const double from = y.at(std::max(largest[i], 0.0));
      const double to = y.at(std::min(largest[i], 0.0));
      const double gap = std::min(1.0, width * 0.15);
      svg.rect(kColumnsLeft + width * static_cast<double>(i) + gap / 2, from, std::max(0.3, width - gap),
               std::max(0.5, to - from), panel % 8 + 1);
    }
    svg.line(kColumnsLeft, y.at(0), kColumnsRight, y.at(0), "axis");
    top = bottom + 16;
  }
  SvgScale axis = x;
  svg.horizontal_axis(axis, place_ticks(extent), bottom, bottom, axis_label(figure.x));
  return svg.finish(figure, bottom + 54, merged_note(bins, "the largest of them"));
}

std::string svg_of_stacked(const Figure& figure) {
  SvgDrawing svg;
  const Extent extent = extent_of(figure);
  const Binned bins(extent);
  const SvgScale x{extent.low, extent.high, kColumnsLeft, kColumnsRight};
  std::vector<std::pair<size_t, std::string>> items;
  for (size_t part = 0; part < figure.series.size(); ++part) items.emplace_back(part % 8 + 1, figure.series[part].name);
  double top = svg.legend(kColumnsLeft, 14, items) + (figure.regions.empty() ? 0 : 8);
  name_regions(figure, x, top - 6, &svg);
  const double bottom = top + 200;
  draw_regions(figure, x, top, bottom, &svg);

  std::vector<std::vector<double>> sums(figure.series.size(), std::vector<double>(bins.count));
  std::vector<double> whole(bins.count);
  for (size_t part = 0; part < figure.series.size(); ++part) {
    for (const FigurePoint& point : figure.series[part].points) {
      sums[part][bins.of(point.x)] += std::max(0.0, point.y);
      whole[bins.of(point.x)] += std::max(0.0, point.y);
    }
  }
  const Ticks ticks = linear_ticks(0, 100, 4);
  const SvgScale y{0, 100, bottom, top};
  svg.vertical_axis(y, ticks, kColumnsLeft, kColumnsRight, "share of the layer (%)");
  const double width = x.at(extent.low + bins.width) - kColumnsLeft;
  const double gap = std::min(1.0, width * 0.15);
  for (size_t i = 0; i < bins.count; ++i) {
    if (!(whole[i] > 0)) continue;
    double below = 0;
    for (size_t part = 0; part < sums.size(); ++part) {
      const double share = sums[part][i] / whole[i] * 100;
      if (share > 0) {
        svg.rect(kColumnsLeft + width * static_cast<double>(i) + gap / 2, y.at(below + share),
                 std::max(0.3, width - gap), y.at(below) - y.at(below + share), part % 8 + 1);
      }
      below += share;
    }
  }
  svg.horizontal_axis(x, place_ticks(extent), bottom, bottom, axis_label(figure.x));
  return svg.finish(figure, bottom + 54, merged_note(bins, "added up"));
}

}  // namespace xsp::analysis
