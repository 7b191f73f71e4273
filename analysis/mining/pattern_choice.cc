#include "analysis/mining/pattern_choice.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/mining/period_vote.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kTrialWindow = 1u << 16;
constexpr uint32_t kTrialRepeats = 8;
constexpr uint32_t kConsensusRepeats = 48;
constexpr double kLeastDeviationCost = 0.5;  // for there to be a pattern at all
constexpr double kDeviationCost = 1;         // where candidates compete: a deviation costs a place

// The part of the range that trials read: the same for all candidates.
OperationRange around(OperationRange range, uint32_t size) {
  const uint32_t used = std::min(range.size(), size);
  const uint32_t begin = range.begin + (range.size() - used) / 2;
  return {begin, begin + used};
}

uint32_t trial_size(size_t longest) { return std::max(kTrialWindow, kTrialRepeats * static_cast<uint32_t>(longest)); }

bool is_uniform(std::span<const Symbol> symbols) {
  return std::all_of(symbols.begin(), symbols.end(), [&symbols](Symbol symbol) { return symbol == symbols.front(); });
}

// What a pattern saves: operations that need not be listed, less the listing of the pattern and its deviations.
double gain(const PatternTrack& track, uint32_t size, double cost = kLeastDeviationCost) {
  double explained = -cost * static_cast<double>(track.deviations);
  for (const Stretch& stretch : track.stretches) {
    // Including the parts at both ends: the pattern is not yet cut where iterations begin.
    if (stretch.iterations > 0) explained += stretch.matched;
  }
  return explained - size;
}

// The repeat that the others are nearest to.
std::vector<Symbol> medoid(std::span<const Symbol> symbols, const std::vector<OperationRange>& repeats) {
  std::vector<Symbol> best;
  double best_gain = -1e300;
  std::vector<Symbol> joined;
  for (const OperationRange& repeat : repeats) {
    joined.insert(joined.end(), symbols.begin() + repeat.begin, symbols.begin() + repeat.end);
  }
  for (size_t i = 0; i < repeats.size() && i < 4; ++i) {
    const auto part = symbols.subspan(repeats[i].begin, repeats[i].size());
    if (is_uniform(part)) continue;
    std::vector<Symbol> pattern(part.begin(), part.end());
    const PatternTrack track = track_pattern(CyclicPattern(pattern), joined, {0, static_cast<uint32_t>(joined.size())});
    const double found = gain(track, static_cast<uint32_t>(pattern.size()));
    if (found > best_gain) {
      best_gain = found;
      best = std::move(pattern);
    }
  }
  return best;
}

// The pattern that most of the followed repeats agree on, operation by operation.
std::vector<Symbol> consensus(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, OperationRange range,
                              PatternTrack& track) {
  const auto size = static_cast<uint32_t>(pattern.size());
  std::vector<MatchedBlock> blocks;
  TrackOptions options;
  options.blocks = &blocks;
  track = track_pattern(CyclicPattern(pattern), symbols, range, options);
  std::vector<uint32_t> matches(size, 0), gone(size, 0);
  std::map<std::tuple<uint32_t, Symbol>, uint32_t> instead;            // phase, symbol
  std::map<std::tuple<uint32_t, uint32_t, Symbol>, uint32_t> between;  // phase before which, place, symbol
  for (size_t i = 0; i < blocks.size(); ++i) {
    const MatchedBlock& block = blocks[i];
    for (uint32_t k = 0; k < block.size; ++k) ++matches[(block.phase + k) % size];
    if (i + 1 == blocks.size()) break;
    const MatchedBlock& next = blocks[i + 1];
    const uint32_t position = block.position + block.size;
    const uint32_t phase = (block.phase + block.size) % size;
    const uint32_t inserted = next.position - position;
    const uint32_t missing = (next.phase + size - phase) % size;
    if (inserted > std::max(size, 64u) || missing > size / 2) continue;
    const uint32_t both = std::min(inserted, missing);
    for (uint32_t k = 0; k < both; ++k) ++instead[{(phase + k) % size, symbols[position + k]}];
    for (uint32_t k = both; k < missing; ++k) ++gone[(phase + k) % size];
    for (uint32_t k = both; k < inserted; ++k) ++between[{(phase + both) % size, k - both, symbols[position + k]}];
  }
  std::vector<Symbol> agreed;
  agreed.reserve(size);
  auto inserted = between.begin();
  auto other = instead.begin();
  for (uint32_t phase = 0; phase < size; ++phase) {
    uint32_t most = 0;
    Symbol replacement = pattern[phase];
    uint32_t seen = matches[phase] + gone[phase];
    for (; other != instead.end() && std::get<0>(other->first) == phase; ++other) {
      seen += other->second;
      if (other->second > most) {
        most = other->second;
        replacement = std::get<1>(other->first);
      }
    }
    for (; inserted != between.end() && std::get<0>(inserted->first) == phase; ++inserted) {
      if (inserted->second * 2 > seen) agreed.push_back(std::get<2>(inserted->first));
    }
    if (gone[phase] * 2 > seen) continue;
    agreed.push_back(matches[phase] >= most ? pattern[phase] : replacement);
  }
  return agreed;
}

}  // namespace

double explained_by(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, OperationRange range) {
  const OperationRange trial = around(around(range, kVoteWindow), trial_size(pattern.size()));
  return gain(track_pattern(CyclicPattern(pattern), symbols, trial), 0, kDeviationCost);
}

std::vector<Symbol> common_pattern(std::span<const Symbol> symbols, const std::vector<OperationRange>& repeats,
                                   OperationRange range) {
  std::vector<Symbol> pattern = medoid(symbols, repeats);
  if (pattern.size() < 2) return {};
  for (int round = 0; round < 2; ++round) {
    const OperationRange read = around(range, kConsensusRepeats * static_cast<uint32_t>(pattern.size()));
    PatternTrack track;
    std::vector<Symbol> agreed = consensus(pattern, symbols, read, track);
    if (agreed.size() < 2 || is_uniform(agreed) || agreed == pattern) break;
    const double before = gain(track, static_cast<uint32_t>(pattern.size()));
    track = track_pattern(CyclicPattern(agreed), symbols, read);
    if (gain(track, static_cast<uint32_t>(agreed.size())) < before) break;
    pattern = std::move(agreed);
  }
  return pattern;
}

std::vector<Symbol> choose_pattern(std::span<const Symbol> symbols, OperationRange range) {
  std::vector<PeriodCandidate> candidates = vote_periods(symbols, range);
  uint32_t longest = 0;
  for (const PeriodCandidate& candidate : candidates) longest = std::max(longest, candidate.period);
  const OperationRange trial = around(around(range, kVoteWindow), trial_size(longest));
  std::vector<Symbol> best;
  double best_gain = 0;
  for (const PeriodCandidate& candidate : candidates) {
    std::vector<Symbol> pattern = common_pattern(symbols, candidate.repeats, trial);
    if (pattern.size() < 2) continue;
    const PatternTrack track = track_pattern(CyclicPattern(pattern), symbols, trial);
    const auto size = static_cast<uint32_t>(pattern.size());
    if (gain(track, size) <= 0) continue;
    const double found = gain(track, size, kDeviationCost);
    // Of equally good ones the shorter: the longer includes what stands between some of its repeats.
    if (best.empty() || found > best_gain || (found == best_gain && pattern.size() < best.size())) {
      best_gain = found;
      best = std::move(pattern);
    }
  }
  return best;
}

}  // namespace xsp::analysis
