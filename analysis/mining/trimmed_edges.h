#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// Operations [begin, end) at the edge of an iteration that it can do without.
struct TrimmedEdge {
  uint32_t iteration = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  bool is_leading = false;
};

/// Takes from the begin or the end of each iteration what is inserted there, where that is at least a quarter of the
/// pattern: iterations of another loop, whose operations look like the begin of this one's, may stand there. Inserted
/// operations elsewhere stay. O(|pattern| + deviations^2) for each iteration that has so many.
std::vector<TrimmedEdge> trim_edges(std::vector<LoopIteration>& iterations, std::span<const Symbol> pattern,
                                    std::span<const Symbol> symbols);

/// Operations that were taken from the edge of an iteration, for other loops.
struct SharedEdge {
  uint32_t loop = 0;
  uint32_t iteration = 0;
  OperationRange range;
};

/// What was taken from an iteration's edge and is of no other loop is its own again. `operations`: of the sequence.
void give_back_edges(const std::vector<SharedEdge>& edges, size_t operations, Loops* found);

}  // namespace xsp::analysis
