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
  /// Operations that a stretch's last repeat may lack at its end and still be whole.
  uint32_t tail_tolerance = 0;
  /// Where not null: what matched, in order, the phase counted on from 0 of the repeat that begins in `iteration_of`.
  std::vector<MatchedBlock>* blocks = nullptr;
};

/// Follows `range` with the pattern, from the first place that agrees with it, through deviations, and after a break
/// from the next place. Linear in the range where deviations are few.
PatternTrack track_pattern(const CyclicPattern& pattern, std::span<const Symbol> symbols, OperationRange range,
                           const TrackOptions& options = {});

}  // namespace xsp::analysis
