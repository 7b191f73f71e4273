#pragma once

#include <cstddef>
#include <vector>

namespace xsp::bound {

/// What a rank takes across, in the coordinates of the layout.
struct RankExtent {
  double left = 0;
  double right = 0;
  size_t links_above = 0;  // that come from the rank above it or pass it
};

/// Ranks that lie below one another; the next ones go on beside them, as in a newspaper.
struct DrawingColumn {
  size_t begin = 0;  // ranks
  size_t end = 0;
  double shift = 0;  // from the layout to the drawing
  double right = 0;  // in the drawing
};

/// As many columns as fit beside one another at a readable size, cut where few links cross. A deep and narrow graph
/// would else be a ribbon of many pages. `gutter`: room between two.
std::vector<DrawingColumn> columns_of(const std::vector<RankExtent>& ranks, double gutter);

}  // namespace xsp::bound
