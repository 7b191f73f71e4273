#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// Where in a pattern, which is a cycle, its iterations begin: at the phase with the largest mean time in which nothing
/// ran before; where that is not known, or the phase at which the longest stretch begins is about as good, at that one.
/// Asks for times of a sample of iterations only.
uint32_t first_phase(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, const PatternTrack& track,
                     const std::function<int64_t(size_t)>& idle_before);

/// The pattern from `phase` on.
std::vector<Symbol> rotated(const std::vector<Symbol>& pattern, uint32_t phase);

}  // namespace xsp::analysis
