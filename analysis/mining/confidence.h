#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// What speaks for a loop.
struct LoopEvidence {
  double agreement = 0;     // 0 to 1: operations of iterations and pattern that match, above chance
  double closure = 0;       // share of the occurrences of the pattern's symbols that match in adjacent iterations
  double bits = 0;          // saved by describing the sequence as repeats, less the cost of naming the loop's place
  double pattern_bits = 0;  // information of one repeat
  uint32_t iterations = 0;

  double confidence() const;
  /// Explained neither by chance nor by some operations often following others.
  bool is_loop() const;
  /// Clear enough to count even in what another loop left over.
  bool is_clear_loop() const;
};

/// `track` is of `range` of `symbols`.
LoopEvidence weigh_loop(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, OperationRange range,
                        const PatternTrack& track);

}  // namespace xsp::analysis
