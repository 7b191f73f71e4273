#pragma once

#include <string>
#include <vector>

#include "bound/tables/box_graph.h"
#include "bound/tables/drawing_columns.h"
#include "bound/tables/graph_layout.h"

namespace xsp::bound {

/// Measures of a drawing of boxes, in pixels.
struct DrawingMeasures {
  static constexpr double kBoxHeight = 36;
  static constexpr double kPitch = 60;     // from a rank to the next
  static constexpr double kGutter = 44;    // between columns
  static constexpr double kChannels = 40;  // above and below columns, for what goes on in the next one
};

/// Boxes and edges with places in a drawing whose origin is the upper left corner.
struct GraphRoutes {
  std::vector<double> x, y;  // of boxes: the middle of the upper side
  std::vector<double> widths;
  std::string edges;  // of an SVG path: all but the longest path
  std::string path;
  std::string arrows;  // heads of edges: triangles
  std::string path_arrows;
  double width = 0;
  double height = 0;
  size_t edges_left_out = 0;
};

GraphRoutes routes_of(const BoxGraph& graph);

}  // namespace xsp::bound
