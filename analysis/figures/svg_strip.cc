#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "analysis/figures/svg_drawing.h"
#include "analysis/figures/svg_figures.h"

namespace xsp::analysis {
namespace {

constexpr double kStripLeft = 70;
constexpr double kStripRight = SvgDrawing::kWidth - 10;
constexpr double kBand = 30;
constexpr double kMarks = 12;       // above a band
constexpr size_t kStripBins = 300;  // of a band; more are drawn as shares of time

/// The iterations may begin long after the first operation.
Ticks ticks_between(double begin, double end) {
  const Ticks round = linear_ticks(0, end - begin, 8);
  const double step = round.at[1] - round.at[0];
  Ticks ticks{begin, end, {}};
  for (double tick = std::ceil(begin / step); tick * step <= end; ++tick) ticks.at.push_back(tick * step);
  return ticks;
}

void append_rect(double x, double y, double width, double height, std::string* path) {
  fmt::format_to(std::back_inserter(*path), "M{:.1f} {:.1f}h{:.2f}v{:.1f}h{:.2f}Z", x, y, width, height, -width);
}

/// If there are too many bars: the share of each series in the time of each column of a band.
void draw_shares(const std::vector<const Series*>& all, const SvgScale& x, double top, SvgDrawing* svg) {
  const double width = (x.to - x.from) / static_cast<double>(kStripBins);
  std::vector<std::vector<double>> time(all.size(), std::vector<double>(kStripBins));
  for (size_t i = 0; i < all.size(); ++i) {
    for (const FigurePoint& point : all[i]->points) {
      double from = point.x;
      const double to = point.x + point.size;
      auto bin = std::min(kStripBins - 1, static_cast<size_t>((from - x.from) / width));
      for (; bin < kStripBins && from < to; ++bin) {
        const double bin_end = bin + 1 == kStripBins ? to : std::min(to, x.from + width * static_cast<double>(bin + 1));
        time[i][bin] += std::max(0.0, bin_end - from);
        from = std::max(from, bin_end);
      }
    }
  }
  const double step = x.at(x.from + width) - x.at(x.from);
  std::vector<double> below(kStripBins);
  for (size_t i = 0; i < all.size(); ++i) {
    std::string path;
    for (size_t bin = 0; bin < kStripBins; ++bin) {
      const double share = std::min(1 - below[bin], time[i][bin] / width);
      if (share <= 0) continue;
      append_rect(x.begin + step * static_cast<double>(bin), top + kBand * (1 - below[bin] - share), step,
                  kBand * share, &path);
      below[bin] += share;
    }
    if (!path.empty()) svg->shapes(path, all[i]->color + 1, all[i]->muted);
  }
}

void draw_bars(const Series& series, const SvgScale& x, double top, SvgDrawing* svg) {
  std::string path;
  for (const FigurePoint& point : series.points) {
    append_rect(x.at(point.x), top, std::max(0.5, x.at(point.x + point.size) - x.at(point.x)), kBand, &path);
  }
  svg->shapes(path, series.color + 1, series.muted);
}

/// One mark a place, however many there are.
void draw_marks(const Series& series, const SvgScale& x, double top, SvgDrawing* svg) {
  constexpr double kApart = 5;
  double free_from = -kApart;
  for (const FigurePoint& point : series.points) {
    const double at = x.at(point.x + point.size / 2);
    if (at < free_from) continue;
    svg->pointer(at, top);
    free_from = at + kApart;
  }
}

}  // namespace

std::string svg_of_strip(const Figure& figure) {
  SvgDrawing svg;
  double begin = std::numeric_limits<double>::max();
  double end = std::numeric_limits<double>::lowest();
  std::vector<std::vector<const Series*>> bands(figure.y.size());
  std::vector<size_t> counts(figure.y.size());
  std::vector<std::pair<size_t, std::string>> items;
  for (const Series& series : figure.series) {
    bands[series.depth].push_back(&series);
    counts[series.depth] += series.points.size();
    for (const FigurePoint& point : series.points) {
      begin = std::min(begin, point.x);
      end = std::max(end, point.x + point.size);
    }
    if (items.empty() || items.back().first != series.color + 1) {
      items.emplace_back(series.color + 1, series.name.substr(0, series.name.find(',')));
    }
  }
  if (!(end > begin)) end = begin + 1;
  const double legend_end = svg.legend(kStripLeft, 14, items);
  const SvgScale x{begin, end, kStripLeft, kStripRight};
  const double bottom = legend_end + (kMarks + kBand + 6) * static_cast<double>(bands.size());
  svg.horizontal_axis(x, ticks_between(begin, end), legend_end, bottom, axis_label(figure.x));
  double top = legend_end;
  bool shares = false;
  for (size_t band = 0; band < bands.size(); ++band) {
    top += kMarks;
    svg.text(kStripLeft - 8, top + kBand / 2 + 4, "end", "ink", figure.y[band].label);
    if (counts[band] > kStripBins) {
      draw_shares(bands[band], x, top, &svg);
      shares = true;
    } else {
      for (const Series* series : bands[band]) draw_bars(*series, x, top, &svg);
    }
    for (const Series* series : bands[band]) {
      if (series->marked) draw_marks(*series, x, top - 2, &svg);
    }
    top += kBand + 6;
  }
  return svg.finish(figure, bottom + 54, shares ? "heights are the share of time in iterations" : "");
}

}  // namespace xsp::analysis
