#include "analysis/figures/svg_figures.h"
#include "analysis/figures/svg_roofline.h"

namespace xsp::analysis {

std::string svg_of(const Figure& figure) {
  switch (figure.kind) {
    case FigureKind::kLines:
      return svg_of_lines(figure);
    case FigureKind::kColumns:
      return svg_of_columns(figure);
    case FigureKind::kBars:
      return svg_of_bars(figure);
    case FigureKind::kStacked:
      return svg_of_stacked(figure);
    case FigureKind::kRoofline:
      return svg_of_roofline(figure);
    case FigureKind::kNested:
      return svg_of_nested(figure);
    case FigureKind::kStrip:
      return svg_of_strip(figure);
    case FigureKind::kStates:
      return svg_of_states(figure);
  }
  return {};
}

}  // namespace xsp::analysis
