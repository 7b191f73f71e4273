#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// A period that equal runs of operations speak for.
struct PeriodCandidate {
  uint32_t period = 0;
  uint64_t votes = 0;
  std::vector<OperationRange> repeats;  // some that are about as long, cut before the same run
};

/// Each run of k operations votes for the distance to its previous occurrence, for several k; near distances vote
/// together. The best candidates, without order. Reads at most kVoteWindow operations in the middle of the range.
std::vector<PeriodCandidate> vote_periods(std::span<const Symbol> symbols, OperationRange range);

inline constexpr uint32_t kVoteWindow = 1u << 20;

}  // namespace xsp::analysis
