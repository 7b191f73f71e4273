#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xsp::analysis {

/// One bar of a group. Its text stands behind it.
struct LabelledBar {
  size_t series = 0;  // in GroupedBars::series
  double value = 0;
  std::string text;
};

struct BarGroup {
  std::string label;  // as recorded
  std::vector<LabelledBar> bars;
};

/// What is compared side by side for several things, such as measured time and bound by layer.
struct GroupedBars {
  struct Series {
    std::string name;
    size_t color = 1;  // 1 to 8
  };

  std::string title;
  std::string finding;  // what it shows, in a sentence with a number: the picture's alternative text
  std::string axis;     // "time of a call (ms)"
  std::vector<Series> series;
  std::vector<BarGroup> groups;  // from the top
  std::string note;              // what is not drawn; empty: everything is
};

/// A drawing of horizontal bars, a group under the other: `<svg role="img">` with a title, colours by the classes of
/// the page's style, all text escaped. Empty where there is no bar with a length.
std::string grouped_bars_svg(const GroupedBars& bars);

}  // namespace xsp::analysis
