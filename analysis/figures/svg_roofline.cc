#include "analysis/figures/svg_roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "analysis/figures/roofline_figures.h"
#include "analysis/figures/svg_text.h"

namespace xsp::analysis {
namespace {

constexpr double kRooflineWidth = 820;
constexpr double kPlotLeft = 64;
constexpr double kPlotRight = 600;  // of the plot; the roofs' names stand beside it
constexpr double kTop = 24;
constexpr double kBottom = 344;
constexpr double kLine = 16;
constexpr double kLargestRadius = 20;
constexpr double kSmallestRadius = 1.2;
constexpr size_t kMostMarks = 300;
constexpr size_t kFew = 30;     // points are all in view
constexpr double kTail = 0.01;  // of the time, which may lie below an axis

constexpr std::string_view kThemeInk = "var(--xsp-ink,#1b1f24)";
constexpr std::string_view kThemeQuiet = "var(--xsp-quiet,#59626e)";
constexpr std::string_view kRule = "var(--xsp-line,#d9dde3)";
constexpr std::string_view kMemory = "var(--xsp-c1,#0072b2)";
constexpr std::string_view kCompute = "var(--xsp-c2,#d55e00)";
constexpr std::string_view kUnknown = "var(--xsp-c8,#68717d)";

std::string_view color_of(const std::string& bound) {
  return bound == "memory" ? kMemory : bound == "compute" ? kCompute : kUnknown;
}

/// A logarithmic axis over whole decades.
struct Decades {
  double from = 0;  // exponents
  double to = 1;
  double begin = 0;  // where they are drawn
  double end = 0;

  double at(double value) const { return begin + (std::log10(value) - from) / (to - from) * (end - begin); }
};

Decades decades(double low, double high, double begin, double end) {
  Decades axis{std::floor(std::log10(low) + 1e-9), std::ceil(std::log10(high) - 1e-9), begin, end};
  if (axis.to <= axis.from) axis.to = axis.from + 1;
  return axis;
}

std::string text_at(double x, double y, std::string_view text, std::string_view color = kThemeInk,
                    std::string_view anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, color, anchor,
                     svg_text(text));
}

/// A circle is bound by memory, a diamond by compute, a square is neither known; all of the same area. Filled ones are
/// of counters.
std::string mark(double x, double y, double radius, const std::string& bound, const std::string& source) {
  const std::string style = fmt::format("fill=\"{0}\" fill-opacity=\"{1}\" stroke=\"{0}\"", color_of(bound),
                                        source == "counters" ? "0.7" : "0.2");
  if (bound == "memory") {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.2f}\" {}/>\n", x, y, radius, style);
  }
  const double half = radius * std::sqrt(std::numbers::pi) / 2;
  const std::string turned = bound == "compute" ? fmt::format(" transform=\"rotate(45 {:.1f} {:.1f})\"", x, y) : "";
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.2f}\"{} {}/>\n", x - half, y - half,
                     2 * half, 2 * half, turned, style);
}

struct Marked {
  const Series* series = nullptr;
  FigurePoint point;
};

std::vector<Marked> heaviest(const Figure& figure) {
  std::vector<Marked> marks;
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) marks.push_back({&series, point});
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Marked& a, const Marked& b) {
    return a.point.size != b.point.size ? a.point.size > b.point.size : a.point.row < b.point.row;
  });
  return marks;
}

/// Where an axis begins: of many points, those with one percent of the time may lie below it, or they would squeeze
/// everything that matters.
double lowest(const std::vector<Marked>& marks, double FigurePoint::*coordinate) {
  std::vector<const FigurePoint*> rising;
  double time = 0;
  for (const Marked& marked : marks) {
    rising.push_back(&marked.point);
    time += marked.point.size;
  }
  std::sort(rising.begin(), rising.end(),
            [&](const FigurePoint* a, const FigurePoint* b) { return a->*coordinate < b->*coordinate; });
  if (marks.size() <= kFew) return rising.front()->*coordinate;
  double below = 0;
  const auto first = std::find_if(rising.begin(), rising.end(),
                                  [&](const FigurePoint* point) { return (below += point->size) > kTail * time; });
  return (*(first == rising.end() ? rising.begin() : first))->*coordinate;
}

struct Plot {
  Decades x;
  Decades y;
  double largest = 0;  // time of the heaviest point

  bool holds(const FigurePoint& point) const {
    const auto within = [](double at, const Decades& axis) {
      return at >= std::min(axis.begin, axis.end) - 0.5 && at <= std::max(axis.begin, axis.end) + 0.5;
    };
    return within(x.at(point.x), x) && within(y.at(point.y), y);
  }

  double radius(double time) const {
    return largest > 0 ? std::max(kSmallestRadius, kLargestRadius * std::sqrt(time / largest)) : kSmallestRadius;
  }
};

Plot plot_of(const Figure& figure, const std::vector<Marked>& marks) {
  double low_x = lowest(marks, &FigurePoint::x), high_x = low_x;
  double low_y = lowest(marks, &FigurePoint::y), high_y = low_y;
  for (const Marked& marked : marks) {
    high_x = std::max(high_x, marked.point.x);
    high_y = std::max(high_y, marked.point.y);
  }
  for (const Region& region : figure.regions) {
    low_x = std::min(low_x, region.from);
    high_x = std::max(high_x, region.to);
  }
  for (const Roof& roof : figure.roofs) high_y = std::max(high_y, roof.peak);
  return {decades(low_x, high_x, kPlotLeft, kPlotRight), decades(low_y, high_y, kBottom, kTop),
          marks.front().point.size};
}

std::string axes(const Figure& figure, const Plot& plot) {
  std::string svg;
  for (int decade = 0; plot.x.from + decade <= plot.x.to; ++decade) {
    const double e = plot.x.from + decade;
    const double x = plot.x.at(std::pow(10, e));
    svg += fmt::format("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"{3}\"/>\n", x, kTop, kBottom, kRule);
    svg += text_at(x, kBottom + kLine, fmt::format("{:g}", std::pow(10, e)), kThemeQuiet, "middle");
  }
  for (int decade = 0; plot.y.from + decade <= plot.y.to; ++decade) {
    const double e = plot.y.from + decade;
    const double y = plot.y.at(std::pow(10, e));
    svg += fmt::format("<path d=\"M{1} {0:.1f}H{2}\" stroke=\"{3}\"/>\n", y, kPlotLeft, kPlotRight, kRule);
    svg += text_at(kPlotLeft - 6, y + 4, fmt::format("{:g}", std::pow(10, e)), kThemeQuiet, "end");
  }
  svg += text_at((kPlotLeft + kPlotRight) / 2, kBottom + 2 * kLine,
                 fmt::format("{} ({})", figure.x.label, figure.x.unit), kThemeQuiet, "middle");
  svg +=
      text_at(kPlotLeft, kTop - 10, fmt::format("{} ({})", figure.y.front().label, figure.y.front().unit), kThemeQuiet);
  return svg;
}

std::string regions(const Figure& figure, const Plot& plot) {
  std::string svg;
  for (const Region& region : figure.regions) {
    const std::string_view color = region.name == "memory-bound" ? kMemory : kCompute;
    const double from = plot.x.at(region.from);
    const double to = plot.x.at(region.to);
    svg +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\" fill-opacity=\"0.08\"/>\n",
                    from, kTop, to - from, kBottom - kTop, color);
    svg += text_at((from + to) / 2, kBottom - 6, region.name, color, "middle");
  }
  return svg;
}

/// The name of a roof that is known by its numbers includes them.
std::string roof_text(const Roof& roof) {
  if (roof.name.find("TFLOPS") != std::string::npos) return roof.name;
  return fmt::format("{}: {:.4g} TFLOPS", roof.name, roof.peak);
}

std::string roofs(const Figure& figure, const Plot& plot) {
  std::string svg;
  double label_y = 0;
  for (const Roof& roof : figure.roofs) {
    const double ridge = ridge_of(roof);
    // The slope starts where it enters the plot: at the left edge or at the bottom.
    const double left = std::pow(10, plot.x.from);
    const double bottom = std::pow(10, plot.y.from);
    const double start = std::max(left, bottom * ridge / roof.peak);
    svg +=
        fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}H{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                    plot.x.at(start), plot.y.at(roof.peak * start / ridge), plot.x.at(ridge), plot.y.at(roof.peak),
                    kPlotRight, kThemeInk);
    label_y = std::max(plot.y.at(roof.peak) + 4, label_y + kLine - 2);
    svg += text_at(kPlotRight + 6, label_y, roof_text(roof));
  }
  if (!figure.roofs.empty()) {
    svg += text_at(kPlotRight + 6, label_y + kLine, fmt::format("{:.4g} GB/s", figure.roofs.back().bandwidth_gbs),
                   kThemeQuiet);
  }
  return svg;
}

std::string paths(const Figure& figure, const Plot& plot, const std::vector<Marked>& marks) {
  std::string svg;
  for (const auto& path : figure.paths) {
    std::string line;
    for (const size_t row : path) {
      const auto found = std::find_if(marks.begin(), marks.end(), [&](const auto& m) { return m.point.row == row; });
      if (found == marks.end()) continue;
      line += fmt::format("{}{:.1f} {:.1f}", line.empty() ? "M" : "L", plot.x.at(found->point.x),
                          plot.y.at(found->point.y));
    }
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-dasharray=\"4 3\"/>\n", line, kThemeQuiet);
  }
  return svg;
}

std::string legend(const Figure& figure, double y) {
  std::vector<std::pair<std::string, std::string>> kinds;  // bound, source
  for (const Series& series : figure.series) {
    if (std::pair kind(series.bound, series.source); std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
      kinds.push_back(std::move(kind));
    }
  }
  std::string svg;
  double x = kPlotLeft + 6;
  for (const auto& [bound, source] : kinds) {
    svg += mark(x, y - 4, 5, bound, source);
    svg += text_at(x + 10, y,
                   fmt::format("{}, {}", bound.empty() ? "bound not known" : bound + "-bound",
                               source == "counters" ? "by counters" : "by arguments"));
    x += 240;
  }
  return svg;
}

/// The numbers of what is listed, beside their points where another number is in the way.
std::string numbers(const Figure& figure, const Plot& plot, const std::vector<Marked>& marks) {
  constexpr std::pair<double, double> kMoves[] = {{0, 0}, {0, -14}, {0, 14}, {16, 0}, {-16, 0}, {0, -28}, {0, 28}};
  std::vector<std::pair<double, double>> taken;
  std::string svg;
  for (size_t i = 0; i < figure.listed.size(); ++i) {
    const auto found =
        std::find_if(marks.begin(), marks.end(), [&](const Marked& m) { return m.point.row == figure.listed[i].row; });
    if (found == marks.end()) continue;
    const double x = plot.x.at(found->point.x);
    const double y = plot.y.at(found->point.y);
    const auto is_free = [&](const auto& move) {
      return std::none_of(taken.begin(), taken.end(), [&](const auto& place) {
        return std::abs(place.first - x - move.first) < 15 && std::abs(place.second - y - move.second) < 13;
      });
    };
    const auto* move = std::find_if(std::begin(kMoves), std::end(kMoves), is_free);
    if (move == std::end(kMoves)) continue;
    taken.emplace_back(x + move->first, y + move->second);
    svg += text_at(x + move->first, y + move->second + 4, std::to_string(i + 1), kThemeInk, "middle");
  }
  return svg;
}

}  // namespace

std::string svg_of_roofline(const Figure& figure) {
  std::vector<Marked> marks = heaviest(figure);
  if (marks.empty()) return {};
  const Plot plot = plot_of(figure, marks);
  double time = 0;
  const size_t all = marks.size();
  std::erase_if(marks, [&](const Marked& marked) { return !plot.holds(marked.point); });
  const size_t outside = all - marks.size();
  if (marks.size() > kMostMarks) marks.resize(kMostMarks);
  std::string body = regions(figure, plot) + axes(figure, plot) + roofs(figure, plot) + paths(figure, plot, marks);
  for (const Marked& marked : marks) {
    time += marked.point.size;
    body += mark(plot.x.at(marked.point.x), plot.y.at(marked.point.y), plot.radius(marked.point.size),
                 marked.series->bound, marked.series->source);
  }
  body += numbers(figure, plot, marks);
  double y = kBottom + 3.5 * kLine;
  body += legend(figure, y);
  y += kLine;
  body += text_at(kPlotLeft, y, "area: time", kThemeQuiet);
  if (all > marks.size()) {
    body += text_at(kPlotLeft + 80, y,
                    fmt::format("drawn here: {} of {}, {:.1f} % of the time{}", marks.size(), all,
                                figure.total > 0 ? 100 * time / figure.total : 0,
                                outside > 0 ? fmt::format("; {} lie beyond the axes", outside) : std::string()),
                    kThemeQuiet);
  }
  for (size_t i = 0; i < figure.listed.size(); ++i) {
    y += kLine;
    body += text_at(kPlotLeft - 8, y, std::to_string(i + 1), kThemeQuiet, "end");
    body += text_at(kPlotLeft, y, figure.listed[i].name);
  }
  return fmt::format(
      "<svg role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" font-size=\"12\" "
      "font-family=\"system-ui,sans-serif\" aria-label=\"{}\">\n<title>{}</title>\n{}</svg>\n",
      kRooflineWidth, y + kLine, svg_text(figure.title + ": " + figure.finding), svg_text(figure.title), body);
}

}  // namespace xsp::analysis
