#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {

/// Phases of a cycle, `first` and those behind it.
struct PhaseWindow {
  uint32_t first = 0;
  uint32_t count = UINT32_MAX;  // at least the size of the cycle: all

  bool has(uint32_t phase, uint32_t size) const { return (phase + size - first % size) % size < count; }
};

struct FirstPhase {
  uint32_t phase = 0;
  double mean_idle = 0;  // ns in which nothing ran before it, in the mean
};

/// Where in a pattern, which is a cycle, its iterations begin: at the phase with the largest mean idle time before it;
/// if that is not known, or the phase at which the longest stretch begins is about as good, at the latter. Considers
/// only the phases in `window`, which must contain that one. Asks for times of a sample of iterations only.
FirstPhase first_phase(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, const PatternTrack& track,
                       const std::function<int64_t(size_t)>& idle_before, const PhaseWindow& window = {});

/// The phases at which the longest stretch has as many whole iterations as its length allows: those from its first
/// operation's to its last one's. At any other phase it is one less.
PhaseWindow phases_with_most_iterations(const PatternTrack& track, uint32_t size);

/// The pattern from `phase` on.
std::vector<Symbol> rotated(const std::vector<Symbol>& pattern, uint32_t phase);

}  // namespace xsp::analysis
