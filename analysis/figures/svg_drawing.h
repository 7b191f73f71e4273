#pragma once

#include <string>
#include <string_view>

#include "analysis/figures/axis_ticks.h"
#include "analysis/figures/figure.h"

namespace xsp::analysis {

/// Where values lie in a drawing: `from` at `begin`, `to` at `end`, in pixels.
struct SvgScale {
  double from = 0, to = 1;
  double begin = 0, end = 1;
  bool logarithmic = false;

  double at(double value) const;
};

/// One drawing, element by element. Shapes have classes (xsp-c1, xsp-axis, …), whose colours the page's style gives,
/// and attributes with the same colours for where there is no style. Text is escaped and, where told, shortened.
class SvgDrawing {
 public:
  static constexpr double kWidth = 860;
  static constexpr double kLetter = 6.6;  // about a letter's width

  /// `color`: 1 to 8.
  void rect(double x, double y, double width, double height, size_t color, bool pale = false);
  /// A path of any number of shapes, filled.
  void shapes(std::string_view path, size_t color, bool pale = false);
  void shade(double x, double y, double width, double height);
  void line(double x1, double y1, double x2, double y2, std::string_view style);  // "axis", "grid", "mark", "whisker"
  void polyline(const std::string& points, size_t color);
  void circle(double x, double y, double radius, size_t color, bool pale = false);
  void arrow(double x1, double y1, double x2, double y2);
  /// A small triangle that points down to a place.
  void pointer(double x, double y);
  /// anchor: "start", "middle", "end"; style: "ink" or "quiet".
  void text(double x, double y, std::string_view anchor, std::string_view style, std::string_view text,
            bool upright = false);

  /// A legend from x on: squares and names, wrapped at the width. Returns the y below it.
  double legend(double x, double y, const std::vector<std::pair<size_t, std::string>>& items);
  void horizontal_axis(const SvgScale& scale, const Ticks& ticks, double top, double bottom, const std::string& label);
  void vertical_axis(const SvgScale& scale, const Ticks& ticks, double left, double right, const std::string& label);

  /// The whole element, `height` high; `note` is what this drawing leaves out that the figure has. A drawing narrower
  /// than kWidth is not stretched to it.
  std::string finish(const Figure& figure, double height, const std::string& note, double width = kWidth) const;

 private:
  std::string body_;
};

/// "latency (ms)".
std::string axis_label(const Axis& axis);

}  // namespace xsp::analysis
