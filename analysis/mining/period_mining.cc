#include "analysis/mining/period_mining.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/mining/confidence.h"
#include "analysis/mining/enclosing_loop.h"
#include "analysis/mining/first_phase.h"
#include "analysis/mining/inner_loop.h"
#include "analysis/mining/pattern_choice.h"
#include "analysis/mining/pattern_track.h"
#include "analysis/mining/period_vote.h"
#include "analysis/mining/phases.h"
#include "analysis/mining/remainder.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kMostLoops = 8;  // of level 0
constexpr uint32_t kMostLevels = 4;
constexpr double kLeastCoverage = 0.1;        // of all operations, by the largest loop
constexpr double kLeastOtherCoverage = 0.03;  // by another
constexpr uint32_t kLeastRemainder = 16;      // operations that are mined again

// Where iterations deviate, the last one's end may be one of the places.
uint32_t tail_tolerance(const PatternTrack& track) {
  if (track.matched == 0) return 0;
  const double rate = static_cast<double>(track.deviations) / static_cast<double>(track.matched);
  return rate < 0.002 ? 0 : rate < 0.05 ? 1 : 2;
}

// Whether the iterations of a loop are of quite different lengths: sentences of so many words.
bool varies(const std::vector<LoopIteration>& iterations) {
  std::vector<uint32_t> sizes;
  for (const LoopIteration& iteration : iterations) sizes.push_back(iteration.size());
  std::sort(sizes.begin(), sizes.end());
  const uint32_t middle = sizes[sizes.size() / 2];
  return sizes[sizes.size() * 9 / 10] - sizes[sizes.size() / 10] > middle / 4;
}

class Miner {
 public:
  explicit Miner(const MiningInput& input) : input_(input), alphabet_(static_cast<Symbol>(input.roles.size())) {}

  Loops run() {
    Remainder all(input_.symbols);
    for (uint32_t i = 0; i < kMostLoops && all.size() >= 4 && mine(all); ++i) {
      all = all.without(covered_);
      if (all.size() < kLeastRemainder) break;
    }
    for (size_t i = 0; i < found_.loops.size(); ++i) add_inner_loop(i);
    order();
    if (found_.loops.empty()) found_.why_none = "no sequence of operations repeats";
    return std::move(found_);
  }

 private:
  // Whether a pattern repeats within one that was found: what is left of a loop's edge is no loop of its own.
  bool is_part_of_found(const std::vector<Symbol>& pattern) const {
    const CyclicPattern cyclic(pattern);
    return std::any_of(found_.loops.begin(), found_.loops.end(), [&cyclic](const Loop& loop) {
      if (loop.pattern.size() < 2 * cyclic.size()) return false;
      const PatternTrack track = track_pattern(cyclic, loop.pattern, {0, static_cast<uint32_t>(loop.pattern.size())});
      return track.iterations.size() >= 2 && track.matched * 4 >= loop.pattern.size();
    });
  }

  // The largest loop of what is left.
  bool mine(const Remainder& rest) {
    const std::span<const Symbol> symbols = rest.symbols();
    const OperationRange all{0, rest.size()};
    std::function<int64_t(size_t)> idle_before;
    if (input_.idle_before) {
      idle_before = [this, &rest](size_t i) { return input_.idle_before(rest.original(static_cast<uint32_t>(i))); };
    }
    std::vector<Symbol> pattern = choose_pattern(symbols, all);
    if (pattern.empty()) return false;
    if (is_part_of_found(pattern)) return false;
    // Down to the iteration, where the pattern is several of them.
    for (uint32_t level = 0; level < kMostLevels; ++level) {
      const std::optional<InnerLoop> inner = find_inner_loop(pattern);
      if (!inner) break;
      const Pauses pauses = pauses_before(inner->pattern, symbols, all, idle_before);
      if (judge_nesting(*inner, input_.roles, pauses) == Nesting::kOuter) break;
      pattern = inner->pattern;
    }
    // Up to it, where the pattern is a part.
    std::vector<LoopIteration> irregular;
    for (uint32_t level = 0; level < kMostLevels; ++level) {
      const Symbol alphabet = std::max(alphabet_, rest.separators_end());
      const OperationRange sample{all.end / 2 - std::min(all.end, kVoteWindow) / 2,
                                  all.end / 2 + std::min(all.end, kVoteWindow) / 2};
      std::optional<EnclosingLoop> outer =
          find_enclosing_loop(pattern, symbols, all.end > kVoteWindow ? sample : all, alphabet, idle_before);
      if (!outer) break;
      const Pauses pauses = pauses_before(pattern, symbols, all, idle_before);
      if (judge_nesting(outer->inner, input_.roles, pauses) != Nesting::kOuter) break;
      const std::vector<Symbol> pattern_within = std::exchange(pattern, outer->pattern);
      if (varies(outer->iterations)) {
        if (all.end > kVoteWindow) outer = find_enclosing_loop(pattern_within, symbols, all, alphabet, idle_before);
        if (!outer) break;
        irregular = outer->iterations;
        break;
      }
    }
    PatternTrack track = track_pattern(CyclicPattern(pattern), symbols, all);
    if (irregular.empty()) {
      TrackOptions options;
      options.tail_tolerance = tail_tolerance(track);
      const uint32_t first = first_phase(pattern, symbols, track, {});
      const uint32_t paused = first_phase(pattern, symbols, track, idle_before);
      const bool may_be_cut = track.stretches.empty() || track.stretches.front().range.begin == 0;
      track = track_pattern(CyclicPattern(rotated(pattern, paused)), symbols, all, options);
      // Where the sequence begins before the loop, its first operation is known: a pause elsewhere that costs an
      // iteration is within one.
      uint32_t begin = paused;
      if (first != paused && !may_be_cut) {
        PatternTrack other = track_pattern(CyclicPattern(rotated(pattern, first)), symbols, all, options);
        if (other.iterations.size() > track.iterations.size()) {
          track = std::move(other);
          begin = first;
        }
      }
      pattern = rotated(pattern, begin);
      remove_other_phases(track.iterations, pattern, symbols);
    } else {
      track.iterations = irregular;
    }
    const LoopEvidence evidence = weigh_loop(pattern, symbols, all, track);
    if (irregular.empty() && !(found_.loops.empty() ? evidence.is_loop() : evidence.is_clear_loop())) return false;
    double covered = 0;
    for (const LoopIteration& iteration : track.iterations) covered += iteration.size();
    const double least = found_.loops.empty() ? kLeastCoverage : kLeastOtherCoverage;
    if (covered < least * static_cast<double>(input_.symbols.size())) return false;
    return add(rest, std::move(pattern), track, evidence.confidence());
  }

  bool add(const Remainder& rest, std::vector<Symbol> pattern, const PatternTrack& track, double confidence) {
    Loop loop;
    loop.pattern = std::move(pattern);
    loop.confidence = confidence;
    uint64_t covered = 0;
    covered_.clear();
    for (const LoopIteration& iteration : track.iterations) {
      covered_.push_back({iteration.begin, iteration.end});
      // Pieces of what is left are no neighbours.
      const uint32_t end = rest.first_separator(iteration.begin, iteration.end);
      const uint32_t beyond = iteration.end - end;
      if (end <= iteration.begin || beyond > iteration.inserted) continue;
      loop.iterations.push_back(iteration);
      LoopIteration& here = loop.iterations.back();
      here.begin = rest.original(iteration.begin);
      here.end = rest.original(end - 1) + 1;
      here.inserted -= beyond;
      covered += end - iteration.begin;
    }
    if (loop.iterations.size() < 2) return false;
    loop.coverage = static_cast<double>(covered) / static_cast<double>(input_.symbols.size());
    // Iterations of variable length are found otherwise, where the pattern itself may nowhere be followed.
    if (!track.stretches.empty()) {
      const Stretch& first = track.stretches.front();
      const Stretch& last = track.stretches.back();
      const uint32_t operations = static_cast<uint32_t>(input_.symbols.size());
      loop.is_cut_at_begin = rest.original(first.range.begin) == 0 && first.begin_phase != 0;
      loop.is_cut_at_end = rest.original(last.range.end - 1) + 1 == operations && last.end_phase != 0;
    }
    found_.loops.push_back(std::move(loop));
    return true;
  }

  // The repeats within the iterations of a loop. Appended, so that theirs are looked for in turn.
  void add_inner_loop(size_t parent) {
    if (found_.loops[parent].level + 1 >= kMostLevels) return;
    const std::optional<InnerLoop> inner = find_inner_loop(found_.loops[parent].pattern);
    if (!inner || inner->count < 2) return;
    Loop loop;
    loop.level = found_.loops[parent].level + 1;
    loop.parent = static_cast<uint32_t>(parent);
    loop.pattern = inner->pattern;
    const CyclicPattern cyclic(loop.pattern);
    uint64_t covered = 0, all = 0;
    double matched = 0, read = 0;
    TrackOptions options;
    options.tail_tolerance = 2;
    // The same in all iterations that are as the pattern.
    const std::vector<Symbol>& around = found_.loops[parent].pattern;
    const PatternTrack plain = track_pattern(cyclic, around, {0, static_cast<uint32_t>(around.size())}, options);
    for (const LoopIteration& outer : found_.loops[parent].iterations) {
      all += outer.size();
      if (outer.deviations() == 0) {
        for (LoopIteration iteration : plain.iterations) {
          covered += iteration.size();
          matched += 2.0 * (iteration.size() - iteration.inserted);
          read += iteration.size() + cyclic.size();
          iteration.begin += outer.begin;
          iteration.end += outer.begin;
          loop.iterations.push_back(iteration);
        }
        continue;
      }
      const PatternTrack track = track_pattern(cyclic, input_.symbols, {outer.begin, outer.end}, options);
      for (const LoopIteration& iteration : track.iterations) {
        covered += iteration.size();
        matched += 2.0 * (iteration.size() - iteration.inserted);
        read += iteration.size() + cyclic.size();
        loop.iterations.push_back(iteration);
      }
    }
    if (loop.iterations.size() < 2) return;
    loop.coverage = all > 0 ? static_cast<double>(covered) / static_cast<double>(all) : 0;
    loop.confidence = read > 0 ? matched / read * found_.loops[parent].confidence : 0;
    found_.loops.push_back(std::move(loop));
  }

  // By level, then by operations, the most first.
  void order() {
    std::vector<uint32_t> places(found_.loops.size());
    for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
    const auto operations = [this](uint32_t i) {
      uint64_t sum = 0;
      for (const LoopIteration& iteration : found_.loops[i].iterations) sum += iteration.size();
      return sum;
    };
    std::stable_sort(places.begin(), places.end(), [&](uint32_t a, uint32_t b) {
      const uint32_t level_a = found_.loops[a].level, level_b = found_.loops[b].level;
      return level_a != level_b ? level_a < level_b : operations(a) > operations(b);
    });
    std::vector<uint32_t> now(places.size());
    for (uint32_t i = 0; i < places.size(); ++i) now[places[i]] = i;
    std::vector<Loop> ordered;
    for (const uint32_t place : places) {
      ordered.push_back(std::move(found_.loops[place]));
      if (ordered.back().parent != kNoLoop) ordered.back().parent = now[ordered.back().parent];
    }
    found_.loops = std::move(ordered);
  }

  const MiningInput& input_;
  const Symbol alphabet_;
  Loops found_;
  std::vector<OperationRange> covered_;  // of what was left, by the loop found last
};

}  // namespace

Loops mine_periods(const MiningInput& input, std::optional<uint32_t> /*count*/) { return Miner(input).run(); }

}  // namespace xsp::analysis
