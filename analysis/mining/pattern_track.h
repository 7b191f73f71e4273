#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/alignment.h"
#include "analysis/mining/cyclic_pattern.h"
#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// Operations [begin, end) of a sequence.
struct OperationRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - begin; }
};

/// Adjacent repeats: where a sequence runs in step with a pattern.
struct Stretch {
  OperationRange range;          // with the partial repeats at both ends
  uint32_t first_iteration = 0;  // in PatternTrack::iterations
  uint32_t iterations = 0;
  uint32_t matched = 0;
  uint32_t begin_phase = 0;  // of the pattern at range.begin
  uint32_t end_phase = 0;    // at range.end
};

/// A sequence followed with a pattern.
struct PatternTrack {
  std::vector<LoopIteration> iterations;
  std::vector<Stretch> stretches;

  uint64_t matched = 0;     // operations in stretches that are the pattern's
  uint64_t deviations = 0;  // inserted and missing ones of iterations
};

struct TrackOptions {
  /// Whether stretches are extended over deviations as far as they look like the pattern, and the first or last repeat
  /// may lack a tenth of the pattern, at least one operation, where others stand beside it. For a last pass: it finds
  /// more than proves a loop.
  bool are_edges_aligned = false;
  /// Operations that the first or last repeat may lack and still be whole, at the sequence's begin and end too.
  uint32_t tail_tolerance = 0;
  /// Where not null: what matched, in order, the phase counted on from 0 of the repeat that begins in `iteration_of`.
  std::vector<MatchedBlock>* blocks = nullptr;
};

/// Follows `range` with the pattern, from the first place that agrees with it, through deviations, and after a break
/// from the next place. Linear in the range where deviations are few.
PatternTrack track_pattern(const CyclicPattern& pattern, std::span<const Symbol> symbols, OperationRange range,
                           const TrackOptions& options = {});

}  // namespace xsp::analysis
