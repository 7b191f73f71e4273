#include "analysis/mining/period_mining.h"

#include <algorithm>
#include <cmath>

#include "analysis/mining/confidence.h"
#include "analysis/mining/first_phase.h"
#include "analysis/mining/pattern_choice.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {
namespace {

// Where iterations deviate, the last one's end may be one of the places.
uint32_t tail_tolerance(const PatternTrack& track) {
  if (track.matched == 0) return 0;
  const double rate = static_cast<double>(track.deviations) / static_cast<double>(track.matched);
  return rate < 0.002 ? 0 : rate < 0.05 ? 1 : 2;
}

}  // namespace

Loops mine_periods(const MiningInput& input, std::optional<uint32_t> /*count*/) {
  Loops found;
  found.why_none = "no sequence of operations repeats";
  const OperationRange all{0, static_cast<uint32_t>(input.symbols.size())};
  if (all.size() < 4) return found;
  std::vector<Symbol> pattern = choose_pattern(input.symbols, all);
  if (pattern.empty()) return found;
  PatternTrack track = track_pattern(CyclicPattern(pattern), input.symbols, all);
  pattern = rotated(pattern, first_phase(pattern, input.symbols, track, input.idle_before));
  TrackOptions options;
  options.tail_tolerance = tail_tolerance(track);
  track = track_pattern(CyclicPattern(pattern), input.symbols, all, options);
  const LoopEvidence evidence = weigh_loop(pattern, input.symbols, all, track);
  if (!evidence.is_loop()) return found;
  Loop loop;
  loop.confidence = evidence.confidence();
  loop.pattern = pattern;
  loop.iterations = track.iterations;
  uint64_t covered = 0;
  for (const LoopIteration& iteration : loop.iterations) covered += iteration.size();
  loop.coverage = static_cast<double>(covered) / all.size();
  loop.is_cut_at_begin = track.stretches.front().range.begin == 0 && track.stretches.front().begin_phase != 0;
  loop.is_cut_at_end = track.stretches.back().range.end == all.end && track.stretches.back().end_phase != 0;
  found.loops.push_back(std::move(loop));
  found.why_none.clear();
  return found;
}

}  // namespace xsp::analysis
