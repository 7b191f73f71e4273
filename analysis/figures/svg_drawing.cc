#include "analysis/figures/svg_drawing.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

#include "analysis/figures/svg_text.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

// As in the page's style, for light paper.
constexpr std::array kColors = {"#0072b2", "#d55e00", "#00926a", "#b57a00", "#b8578d", "#268ac4", "#8c8300", "#68717d"};
constexpr std::string_view kInk = "#1b1f24";
constexpr std::string_view kQuiet = "#59626e";
constexpr std::string_view kGrid = "#d9dde3";
constexpr std::string_view kShade = "#edf3f8";
constexpr std::string_view kMark = "#946200";

/// Of an id: letters, digits and hyphens.
std::string id_of(const Figure& figure) {
  std::string id = "xsp-svg-";
  for (const char c : figure.id) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    id += plain ? c : '-';
  }
  return id;
}

}  // namespace

double SvgScale::at(double value) const {
  if (logarithmic) {
    if (!(value > 0)) return begin;
    return begin + (std::log(value) - std::log(from)) / (std::log(to) - std::log(from)) * (end - begin);
  }
  return begin + (value - from) / (to - from) * (end - begin);
}

void SvgDrawing::rect(double x, double y, double width, double height, size_t color, bool pale) {
  fmt::format_to(std::back_inserter(body_),
                 "<rect class=\"xsp-c{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"{}/>",
                 color, x, y, width, height, kColors[color - 1], pale ? " fill-opacity=\"0.4\"" : "");
}

void SvgDrawing::shapes(std::string_view path, size_t color, bool pale) {
  fmt::format_to(std::back_inserter(body_), "<path class=\"xsp-c{}\" d=\"{}\" fill=\"{}\"{}/>", color, path,
                 kColors[color - 1], pale ? " fill-opacity=\"0.4\"" : "");
}

void SvgDrawing::shade(double x, double y, double width, double height) {
  fmt::format_to(std::back_inserter(body_),
                 "<rect class=\"xsp-shade\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>",
                 x, y, width, height, kShade);
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, std::string_view style) {
  const std::string_view color = style == "grid" ? kGrid : style == "mark" ? kMark : style == "axis" ? kQuiet : kInk;
  fmt::format_to(std::back_inserter(body_),
                 "<path class=\"xsp-{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"{}/>", style, x1, y1, x2, y2,
                 color, style == "mark" ? " stroke-dasharray=\"5 4\"" : "");
}

void SvgDrawing::polyline(const std::string& points, size_t color) {
  fmt::format_to(std::back_inserter(body_),
                 "<polyline class=\"xsp-l{}\" points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>", color,
                 points, kColors[color - 1]);
}

void SvgDrawing::circle(double x, double y, double radius, size_t color, bool pale) {
  fmt::format_to(std::back_inserter(body_),
                 "<circle class=\"xsp-c{0}{1}\" cx=\"{2:.1f}\" cy=\"{3:.1f}\" r=\"{4:.1f}\" fill=\"{5}\"{6}/>", color,
                 pale ? fmt::format(" xsp-l{}", color) : "", x, y, radius, kColors[color - 1],
                 pale ? fmt::format(" fill-opacity=\"0.4\" stroke=\"{}\"", kColors[color - 1]) : "");
}

void SvgDrawing::arrow(double x1, double y1, double x2, double y2) {
  constexpr double kHead = 7;
  const double length = std::hypot(x2 - x1, y2 - y1);
  if (!(length > kHead)) return;
  const double dx = (x2 - x1) / length;
  const double dy = (y2 - y1) / length;
  const double x = x2 - kHead * dx;
  const double y = y2 - kHead * dy;
  line(x1, y1, x, y, "axis");
  fmt::format_to(std::back_inserter(body_),
                 "<path class=\"xsp-quiet\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\"/>", x2, y2,
                 x - kHead / 2 * dy, y + kHead / 2 * dx, x + kHead / 2 * dy, y - kHead / 2 * dx, kQuiet);
}

void SvgDrawing::pointer(double x, double y) {
  fmt::format_to(std::back_inserter(body_), "<path class=\"xsp-ink\" d=\"M{:.1f} {:.1f}l-4 -7h8Z\" fill=\"{}\"/>", x, y,
                 kInk);
}

void SvgDrawing::text(double x, double y, std::string_view anchor, std::string_view style, std::string_view text,
                      bool upright) {
  fmt::format_to(std::back_inserter(body_),
                 "<text class=\"xsp-{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>", style,
                 x, y, anchor, style == "ink" ? kInk : kQuiet,
                 upright ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y) : "", svg_text(text));
}

double SvgDrawing::legend(double x, double y, const std::vector<std::pair<size_t, std::string>>& items) {
  const double left = x;
  for (const auto& [color, name] : items) {
    const std::string shown = shorten(printable(name), 60);
    const double width = 18 + kLetter * static_cast<double>(display_width(shown)) + 18;
    if (x > left && x + width > kWidth) {
      x = left;
      y += 18;
    }
    rect(x, y - 10, 12, 12, color);
    text(x + 18, y, "start", "ink", shown);
    x += width;
  }
  return y + 18;
}

void SvgDrawing::horizontal_axis(const SvgScale& scale, const Ticks& ticks, double top, double bottom,
                                 const std::string& label) {
  double free_from = -1e9;
  for (const double tick : ticks.at) {
    const double x = scale.at(tick);
    line(x, top, x, bottom, "grid");
    const std::string shown = tick_label(tick);
    const double half = kLetter * static_cast<double>(shown.size()) / 2;
    if (x - half < free_from) continue;
    text(x, bottom + 16, "middle", "quiet", shown);
    free_from = x + half + 8;
  }
  line(scale.begin, bottom, scale.end, bottom, "axis");
  text((scale.begin + scale.end) / 2, bottom + 34, "middle", "quiet", label);
}

void SvgDrawing::vertical_axis(const SvgScale& scale, const Ticks& ticks, double left, double right,
                               const std::string& label) {
  double free_below = 1e9;
  for (const double tick : ticks.at) {
    const double y = scale.at(tick);
    line(left, y, right, y, "grid");
    if (y + 12 > free_below) continue;
    text(left - 6, y + 4, "end", "quiet", tick_label(tick));
    free_below = y;
  }
  line(left, scale.begin, left, scale.end, "axis");
  text(14, (scale.begin + scale.end) / 2, "middle", "quiet", label, true);
}

std::string SvgDrawing::finish(const Figure& figure, double height, const std::string& note, double width) const {
  const std::string id = id_of(figure);
  std::string shown_note;
  if (!note.empty()) {
    shown_note =
        fmt::format("<text class=\"xsp-quiet\" x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\" fill=\"{}\">{}</text>",
                    width - 4, height - 4, kQuiet, svg_text(note));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"{6} viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "aria-labelledby=\"{2}-title {2}-desc\" font-family=\"system-ui, sans-serif\" font-size=\"12\">"
      "<title id=\"{2}-title\">{3}</title><desc id=\"{2}-desc\">{4}</desc>{5}{7}</svg>",
      width, height, id, svg_text(figure.title), svg_text(figure.finding), body_,
      width < kWidth ? fmt::format(" class=\"xsp-narrow\" width=\"{:.0f}\"", width) : "", shown_note);
}

std::string axis_label(const Axis& axis) {
  return axis.unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, axis.unit);
}

}  // namespace xsp::analysis
