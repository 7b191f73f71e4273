#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bound/bounds/bounds.h"

namespace xsp::bound {

/// Layers that a drawing shows as one box: a chain without a branch, a group that is computed at once, or what there
/// was no room for.
struct Box {
  std::vector<size_t> layers;  // ascending
  double bound_ms = 0;
  std::optional<double> measured_ms;  // in the trace, of the layers that were found in it
  size_t counted = 0;                 // layers with work, or with a given time
  size_t missing = 0;                 // of these without a time
  bool on_path = false;
  bool is_rest = false;  // no chain, but several boxes that were too many to be drawn
  size_t rank = 0;       // edges go from lower ranks to higher ones
};

struct BoxEdge {
  size_t from = 0;
  size_t to = 0;
  bool on_path = false;
};

/// A model as few enough boxes to be looked at.
struct BoxGraph {
  static constexpr size_t kMostBoxes = 300;
  static constexpr size_t kMostBoxesInRank = 10;
  static constexpr size_t kMostBoxesInRankOfMany = 4;
  static constexpr size_t kManyRanks = 80;
  static constexpr size_t kMostEdges = 900;

  std::vector<Box> boxes;
  std::vector<BoxEdge> edges;  // sorted, no two between the same boxes
  size_t ranks = 0;
  size_t layers_left_out = 0;  // without work, computed from constants and shapes alone
  size_t edges_left_out = 0;
};

/// In the shown mode (shown_mode()), whose groups are one thing. Folds chains, each convolution or product with the
/// layers behind it, or several of these where they are many. Of ranks with too many boxes the dearest are kept and the
/// others merged; of too many ranks the middle ones become one box.
BoxGraph fold_layers(const Bounds& bounds);

}  // namespace xsp::bound
