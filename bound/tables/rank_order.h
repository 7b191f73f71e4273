#pragma once

#include <cstddef>
#include <vector>

namespace xsp::bound {

struct CellLink {
  size_t cell = 0;
  double weight = 1;
};

/// A thing in a rank, with what it is bound to in the ranks next to it.
struct RankCell {
  std::vector<CellLink> above;
  std::vector<CellLink> below;
};

/// Puts the cells of each rank, which are given from left to right, into an order in which few links cross.
void order_ranks(const std::vector<RankCell>& cells, std::vector<std::vector<size_t>>* ranks);

/// How often links cross between this rank and the one above it.
size_t crossings_above(const std::vector<RankCell>& cells, const std::vector<size_t>& rank,
                       const std::vector<size_t>& place_of);

}  // namespace xsp::bound
