#pragma once

#include <vector>

#include "bound/tables/box_graph.h"

namespace xsp::bound {

/// Sorts edges, and makes those between the same boxes one, on the path if one of them is.
void unite_equal_edges(std::vector<BoxEdge>* edges);

/// Where a rank has more than BoxGraph::kMostBoxesInRank boxes, or fewer in a deep graph, those off the path that cost
/// least become one.
void merge_crowded_ranks(BoxGraph* graph);

/// Where there are more than BoxGraph::kMostBoxes, ranks in the middle become one box.
void merge_middle_ranks(BoxGraph* graph);

}  // namespace xsp::bound
