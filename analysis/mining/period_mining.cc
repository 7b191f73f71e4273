#include "analysis/mining/period_mining.h"

#include <algorithm>
#include <cmath>

#include "analysis/mining/pattern_choice.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {
namespace {

constexpr double kLeastConfidence = 0.45;

double confidence(const PatternTrack& track, uint32_t size) {
  double matched = 0, all = 0;
  for (const LoopIteration& iteration : track.iterations) {
    matched += 2.0 * (iteration.size() - iteration.inserted);
    all += iteration.size() + size;
  }
  if (all == 0) return 0;
  return matched / all * (1 - std::exp2(1.0 - static_cast<double>(track.iterations.size())));
}

}  // namespace

Loops mine_periods(const MiningInput& input, std::optional<uint32_t> /*count*/) {
  Loops found;
  found.why_none = "no sequence of operations repeats";
  const OperationRange all{0, static_cast<uint32_t>(input.symbols.size())};
  if (all.size() < 4) return found;
  const std::vector<Symbol> pattern = choose_pattern(input.symbols, all);
  if (pattern.empty()) return found;
  const PatternTrack track = track_pattern(CyclicPattern(pattern), input.symbols, all);
  Loop loop;
  loop.confidence = confidence(track, static_cast<uint32_t>(pattern.size()));
  if (track.iterations.size() < 2 || loop.confidence < kLeastConfidence) return found;
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
