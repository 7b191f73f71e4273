#include "analysis/figures/grouped_bars.h"

#include <algorithm>
#include <utility>

#include "analysis/figures/svg_drawing.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

constexpr size_t kMostLabelLetters = 30;
constexpr double kBarPitch = 13;
constexpr double kGroupGap = 9;
constexpr double kTextRoom = 90;  // behind the longest bar

bool has_bars(const GroupedBars& bars, size_t series) {
  return std::ranges::any_of(bars.groups, [&](const BarGroup& group) {
    return std::ranges::find(group.bars, series, &LabelledBar::series) != group.bars.end();
  });
}

}  // namespace

std::string grouped_bars_svg(const GroupedBars& bars) {
  size_t letters = 0;
  double longest = 0;
  size_t rows = 0;
  for (const BarGroup& group : bars.groups) {
    letters = std::max(letters, display_width(shorten(printable(group.label), kMostLabelLetters)));
    for (const LabelledBar& bar : group.bars) longest = std::max(longest, bar.value);
    rows += group.bars.size();
  }
  if (!(longest > 0)) return "";
  const double left = 16 + SvgDrawing::kLetter * static_cast<double>(letters);

  SvgDrawing svg;
  std::vector<std::pair<size_t, std::string>> legend;
  for (size_t i = 0; i < bars.series.size(); ++i) {
    if (has_bars(bars, i)) legend.emplace_back(bars.series[i].color, bars.series[i].name);
  }
  const double top = svg.legend(left, 14, legend);
  const double bottom =
      top + kBarPitch * static_cast<double>(rows) + kGroupGap * static_cast<double>(bars.groups.size());
  const Ticks ticks = linear_ticks(0, longest, 6, false);
  const SvgScale x{ticks.low, ticks.high, left, SvgDrawing::kWidth - kTextRoom};
  svg.horizontal_axis(x, ticks, top, bottom, bars.axis);
  double y = top;
  for (const BarGroup& group : bars.groups) {
    y += kGroupGap / 2;
    svg.text(left - 6, y + kBarPitch * static_cast<double>(group.bars.size()) / 2 + 4, "end", "ink",
             shorten(printable(group.label), kMostLabelLetters));
    for (const LabelledBar& bar : group.bars) {
      svg.rect(left, y, x.at(bar.value) - left, kBarPitch - 2, bars.series[bar.series].color);
      svg.text(x.at(bar.value) + 5, y + kBarPitch - 3, "start", "quiet", bar.text);
      y += kBarPitch;
    }
    y += kGroupGap / 2;
  }
  svg.line(left, top, left, bottom, "axis");
  Figure figure;
  figure.title = bars.title;
  figure.finding = bars.finding;
  return svg.finish(figure, bottom + 44, bars.note);
}

}  // namespace xsp::analysis
