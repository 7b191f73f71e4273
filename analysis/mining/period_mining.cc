#include "analysis/mining/period_mining.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "analysis/mining/confidence.h"
#include "analysis/mining/edge_iterations.h"
#include "analysis/mining/enclosing_loop.h"
#include "analysis/mining/first_phase.h"
#include "analysis/mining/inner_loop.h"
#include "analysis/mining/nested_loops.h"
#include "analysis/mining/pattern_choice.h"
#include "analysis/mining/pattern_track.h"
#include "analysis/mining/period_vote.h"
#include "analysis/mining/phases.h"
#include "analysis/mining/remainder.h"
#include "analysis/mining/trimmed_edges.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kMostLoops = 8;            // of level 0
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
  // Leaving out a tenth at either end, at least one: the first and the last may include what is around the loop.
  const size_t left_out = std::max<size_t>(1, sizes.size() / 10);
  if (sizes.size() < 2 * left_out + 2) return false;
  return sizes[sizes.size() - 1 - left_out] - sizes[left_out] > sizes[sizes.size() / 2] / 4;
}

// Whether the iterations of a loop follow one another, in runs of two or more: what stands alone in the iterations of
// another loop, such as a log line, is a deviation of that loop.
bool stand_together(const Loop& loop) {
  const size_t near = loop.pattern.size() / 4;
  size_t adjacent = 0;
  for (size_t i = 1; i < loop.iterations.size(); ++i) {
    adjacent += loop.iterations[i].begin - loop.iterations[i - 1].end <= near ? 1 : 0;
  }
  return adjacent * 3 >= loop.iterations.size();
}

class Miner {
 public:
  Miner(const MiningInput& input, std::optional<uint32_t> count)
      : input_(input), count_(count), alphabet_(static_cast<Symbol>(input.roles.size())) {}

  Loops run() {
    Remainder all(input_.symbols);
    for (uint32_t i = 0; i < kMostLoops && all.size() >= 4 && mine(all); ++i) {
      all = all.without(covered_);
      if (all.size() < kLeastRemainder) break;
    }
    give_back_edges(shared_, input_.symbols.size(), &found_);
    add_inner_loops(input_.symbols, &found_);
    order_loops(&found_);
    if (!found_.loops.empty()) {
      found_.why_none.clear();
    } else if (found_.why_none.empty()) {
      found_.why_none = why_nothing_repeats();
    }
    return std::move(found_);
  }

 private:
  // A pattern and what it is found to be.
  struct Settled {
    std::vector<Symbol> pattern;
    PatternTrack track;
    PatternTrack followed;  // without what was only completed: evidence for the loop
    bool is_irregular = false;
  };

  std::string why_nothing_repeats() const {
    const std::span<const Symbol> symbols = input_.symbols;
    const bool is_uniform = symbols.size() > 1 && std::all_of(symbols.begin(), symbols.end(),
                                                              [&](Symbol symbol) { return symbol == symbols[0]; });
    return is_uniform ? "all operations are the same" : "no sequence of operations repeats";
  }

  // Whether a pattern repeats within a found one: what is left of a loop's edge is no loop of its own.
  bool is_part_of_found(const std::vector<Symbol>& pattern) const {
    const CyclicPattern cyclic(pattern);
    return std::any_of(found_.loops.begin(), found_.loops.end(), [&cyclic](const Loop& loop) {
      if (loop.pattern.size() < 2 * cyclic.size()) return false;
      const PatternTrack track = track_pattern(cyclic, loop.pattern, {0, static_cast<uint32_t>(loop.pattern.size())});
      return track.iterations.size() >= 2 && size_t{track.matched} * 4 >= loop.pattern.size();
    });
  }

  // From a pattern to that of the iterations that it is a part of. If these differ a lot they are returned in
  // `irregular`. Does nothing if the addition is a log line or the like, unless `is_forced`.
  bool go_up(std::vector<Symbol>& pattern, std::vector<LoopIteration>& irregular, const Remainder& rest,
             const std::function<int64_t(size_t)>& idle_before, bool is_forced = false) const {
    const std::span<const Symbol> symbols = rest.symbols();
    const OperationRange all{0, rest.size()};
    const Symbol alphabet = std::max(alphabet_, rest.separators_end());
    const OperationRange sample{all.end / 2 - std::min(all.end, kVoteWindow) / 2,
                                all.end / 2 + std::min(all.end, kVoteWindow) / 2};
    const bool is_sampled = all.end > kVoteWindow;
    std::optional<EnclosingLoop> outer =
        find_enclosing_loop(pattern, symbols, is_sampled ? sample : all, alphabet, idle_before);
    if (!outer) return false;
    const Pauses pauses = pauses_before(pattern, symbols, all, idle_before);
    if (!is_forced && judge_nesting(outer->inner, input_.roles, pauses) != Nesting::kOuter) return false;
    if (varies(outer->iterations)) {
      if (is_sampled) outer = find_enclosing_loop(pattern, symbols, all, alphabet, idle_before);
      if (!outer) return false;
      irregular = outer->iterations;
    }
    pattern = outer->pattern;
    return true;
  }

  // The phase at which iterations begin, and the track from there.
  uint32_t begin_phase(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols,
                       const std::function<int64_t(size_t)>& idle_before,
                       const std::function<int64_t(size_t)>& begin_of, const TrackOptions& options,
                       PatternTrack* track) const {
    const OperationRange all{0, static_cast<uint32_t>(symbols.size())};
    const auto size = static_cast<uint32_t>(pattern.size());
    const FirstPhase paused = first_phase(pattern, symbols, *track, idle_before);
    const PhaseWindow most = phases_with_most_iterations(*track, size);
    // If the sequence begins before the loop, its first operation is known: a pause elsewhere that costs an iteration
    // lies within one. If it begins within an iteration, any phase with as many iterations is as good.
    const bool may_be_cut = track->stretches.empty() || track->stretches.front().range.begin == 0;
    const uint32_t other = may_be_cut ? first_phase(pattern, symbols, *track, idle_before, most).phase : most.first;
    uint32_t begin = paused.phase;
    *track = track_pattern(CyclicPattern(rotated(pattern, begin)), symbols, all, options);
    if (other != begin && !(may_be_cut && is_boundary(paused, *track, most.count, size, begin_of))) {
      PatternTrack turned = track_pattern(CyclicPattern(rotated(pattern, other)), symbols, all, options);
      if (turned.iterations.size() > track->iterations.size()) {
        *track = std::move(turned);
        begin = other;
      }
    }
    // Input copied before an iteration begins belongs to that iteration.
    uint32_t copies = 0;
    while (copies < size / 2 && is_copy_to_device(pattern[(begin + size - copies - 1) % size])) ++copies;
    if (copies == 0) return begin;
    const uint32_t earlier = (begin + size - copies) % size;
    PatternTrack turned = track_pattern(CyclicPattern(rotated(pattern, earlier)), symbols, all, options);
    if (turned.iterations.size() < track->iterations.size()) return begin;
    *track = std::move(turned);
    return earlier;
  }

  bool is_copy_to_device(Symbol symbol) const {
    return symbol < alphabet_ && input_.roles[symbol] == SymbolRole::kToDevice;
  }

  // Whether a pause takes so much of each period that it lies between iterations, wherever the recording was cut. Not
  // if the recording has whole periods and nothing more: then it began where an iteration does.
  static bool is_boundary(const FirstPhase& paused, const PatternTrack& track, uint32_t phases, uint32_t size,
                          const std::function<int64_t(size_t)>& begin_of) {
    constexpr double kOfPeriod = 2.0 / 3;
    constexpr uint32_t kNothingMore = 50;  // of a pattern
    if (!begin_of || track.iterations.size() < 2 || phases - 1 <= size / kNothingMore) return false;
    const int64_t first = begin_of(track.iterations.front().begin);
    const int64_t last = begin_of(track.iterations.back().begin);
    const auto periods = static_cast<double>(track.iterations.size() - 1);
    return paused.mean_idle >= kOfPeriod * static_cast<double>(last - first) / periods;
  }

  // Where the iterations of a pattern begin and end.
  Settled settle(std::vector<Symbol> pattern, std::vector<LoopIteration> irregular, std::span<const Symbol> symbols,
                 const std::function<int64_t(size_t)>& idle_before,
                 const std::function<int64_t(size_t)>& begin_of) const {
    const OperationRange all{0, static_cast<uint32_t>(symbols.size())};
    const bool is_irregular = !irregular.empty();
    PatternTrack followed;
    PatternTrack track = track_pattern(CyclicPattern(pattern), symbols, all);
    if (!is_irregular) {
      TrackOptions options;
      options.tail_tolerance = tail_tolerance(track);
      options.are_edges_aligned = true;
      const uint32_t begin = begin_phase(pattern, symbols, idle_before, begin_of, options, &track);
      pattern = rotated(pattern, begin);
      followed = track;
      remove_other_phases(followed.iterations, pattern, symbols);
      complete_iterations(track.iterations, pattern, symbols);
      remove_other_phases(track.iterations, pattern, symbols);
    } else {
      track.iterations = std::move(irregular);
    }
    if (is_irregular) followed = track;
    return {std::move(pattern), std::move(track), std::move(followed), is_irregular};
  }

  // What a pattern is made of and a part of, whatever suggests which of them is the iteration: a known count decides.
  std::vector<std::vector<Symbol>> nested_patterns(const std::vector<Symbol>& chosen, const Remainder& rest,
                                                   const std::function<int64_t(size_t)>& idle_before) const {
    std::vector<std::vector<Symbol>> patterns{chosen};
    for (uint32_t level = 0; level < kMostLoopLevels; ++level) {
      std::optional<InnerLoop> inner = find_inner_loop(patterns.back());
      if (!inner) break;
      patterns.push_back(std::move(inner->pattern));
    }
    std::vector<Symbol> pattern = patterns.back();
    std::vector<LoopIteration> irregular;
    for (uint32_t level = 0; level < kMostLoopLevels; ++level) {
      if (!go_up(pattern, irregular, rest, idle_before, true) || pattern.size() > rest.size() / 2) break;
      patterns.push_back(pattern);
    }
    return patterns;
  }

  // What speaks against a loop.
  std::optional<std::string> why_not(const Settled& loop, std::span<const Symbol> symbols) const {
    const std::string most = "what repeats most, " + std::to_string(loop.pattern.size()) + " operations, ";
    const bool is_first = found_.loops.empty();
    // Of what was followed, and with what was completed by it.
    for (const PatternTrack* track : {&loop.followed, &loop.track}) {
      if (track->iterations.size() < 2) return most + "is whole only once";
      const LoopEvidence evidence =
          weigh_loop(loop.pattern, symbols, {0, static_cast<uint32_t>(symbols.size())}, *track);
      if (!loop.is_irregular && !(is_first ? evidence.is_loop() : evidence.is_clear_loop())) {
        return most + "is not alike often enough to be told from chance";
      }
      if (loop.followed.iterations.size() == loop.track.iterations.size()) break;
    }
    double covered = 0;
    for (const LoopIteration& iteration : loop.track.iterations) covered += iteration.size();
    const double share = covered / static_cast<double>(input_.symbols.size());
    if (share >= (is_first ? kLeastCoverage : kLeastOtherCoverage)) return std::nullopt;
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.1f %%", 100 * share);
    return most + "covers only " + percent + " of all";
  }

  // The largest loop of what is left.
  bool mine(const Remainder& rest) {
    const std::span<const Symbol> symbols = rest.symbols();
    const OperationRange all{0, rest.size()};
    std::function<int64_t(size_t)> idle_before;
    if (input_.idle_before) {
      idle_before = [this, &rest](size_t i) { return input_.idle_before(rest.original(static_cast<uint32_t>(i))); };
    }
    std::function<int64_t(size_t)> begin_of;
    if (input_.begin_of) {
      begin_of = [this, &rest](size_t i) { return input_.begin_of(rest.original(static_cast<uint32_t>(i))); };
    }
    std::vector<Symbol> pattern = choose_pattern(symbols, all);
    if (pattern.empty() || is_part_of_found(pattern)) return false;
    const std::vector<Symbol> chosen = pattern;
    std::vector<LoopIteration> irregular;
    // Down to the iteration, if the pattern is several of them. If it has repeats that are no iterations, their number
    // is looked for from within.
    for (uint32_t level = 0; level < kMostLoopLevels; ++level) {
      const std::optional<InnerLoop> inner = find_inner_loop(pattern);
      if (!inner) break;
      const Pauses pauses = pauses_before(inner->pattern, symbols, all, idle_before);
      if (judge_nesting(*inner, input_.roles, pauses) != Nesting::kOuter) {
        pattern = inner->pattern;
        continue;
      }
      std::vector<Symbol> from_within = inner->pattern;
      if (!go_up(from_within, irregular, rest, idle_before)) break;
      if (!irregular.empty() || explained_by(from_within, symbols, all) > explained_by(pattern, symbols, all)) {
        pattern = from_within;
      }
      break;
    }
    // Up to it, where the pattern is a part.
    for (uint32_t level = 0; level < kMostLoopLevels && irregular.empty(); ++level) {
      if (!go_up(pattern, irregular, rest, idle_before)) break;
    }
    Settled loop = settle(std::move(pattern), std::move(irregular), symbols, idle_before, begin_of);
    if (count_ && found_.loops.empty() && loop.track.iterations.size() != *count_) {
      for (std::vector<Symbol>& other : nested_patterns(chosen, rest, idle_before)) {
        Settled here = settle(std::move(other), {}, symbols, idle_before, begin_of);
        if (here.track.iterations.size() != *count_ || why_not(here, symbols)) continue;
        loop = std::move(here);
        break;
      }
    }
    if (std::optional<std::string> why = why_not(loop, symbols)) {
      if (found_.loops.empty()) found_.why_none = std::move(*why);
      return false;
    }
    const double confidence = weigh_loop(loop.pattern, symbols, all, loop.track).confidence();
    return add(rest, std::move(loop.pattern), loop.track, confidence);
  }

  // Pieces of what is left are not adjacent: an iteration lies in one.
  static std::optional<LoopIteration> largest_piece(const LoopIteration& iteration, const Remainder& rest) {
    LoopIteration largest = iteration;
    largest.end = largest.begin;
    for (uint32_t begin = iteration.begin; begin < iteration.end;) {
      const uint32_t end = rest.first_separator(begin, iteration.end);
      if (end - begin > largest.size()) {
        largest.begin = begin;
        largest.end = end;
      }
      begin = end + 1;
    }
    const uint32_t lost = iteration.size() - largest.size();
    if (lost > iteration.size() / 2) return std::nullopt;
    largest.inserted -= std::min(largest.inserted, lost);
    largest.missing += lost - std::min(iteration.inserted, lost);
    return largest;
  }

  bool add(const Remainder& rest, std::vector<Symbol> pattern, const PatternTrack& track, double confidence) {
    Loop loop;
    loop.pattern = std::move(pattern);
    // If another loop was taken out of an iteration, the pattern has the separator, which is no operation.
    std::erase_if(loop.pattern, [this](Symbol symbol) { return symbol >= alphabet_; });
    loop.confidence = confidence;
    uint64_t covered = 0;
    covered_.clear();
    std::vector<LoopIteration> iterations = track.iterations;
    const std::vector<TrimmedEdge> edges = trim_edges(iterations, loop.pattern, rest.symbols());
    auto edge = edges.begin();
    std::vector<SharedEdge> shared;
    for (uint32_t i = 0; i < iterations.size(); ++i) {
      const LoopIteration& iteration = iterations[i];
      covered_.push_back({iteration.begin, iteration.end});
      const std::optional<LoopIteration> within = largest_piece(iteration, rest);
      for (; edge != edges.end() && edge->iteration == i; ++edge) {
        if (!within || rest.first_separator(edge->begin, edge->end) != edge->end) continue;
        shared.push_back({static_cast<uint32_t>(found_.loops.size()),
                          static_cast<uint32_t>(loop.iterations.size()),
                          {rest.original(edge->begin), rest.original(edge->end - 1) + 1}});
      }
      if (!within) continue;
      loop.iterations.push_back(*within);
      LoopIteration& here = loop.iterations.back();
      here.begin = rest.original(within->begin);
      here.end = rest.original(within->end - 1) + 1;
      covered += within->size();
    }
    if (loop.iterations.size() < 2 || loop.pattern.size() < 2) return false;
    if (!found_.loops.empty() && !stand_together(loop)) return false;
    loop.coverage = static_cast<double>(covered) / static_cast<double>(input_.symbols.size());
    // Iterations of variable length are found in another way, and the pattern itself may not be followed anywhere.
    if (!track.stretches.empty()) {
      const Stretch& first = track.stretches.front();
      const Stretch& last = track.stretches.back();
      const uint32_t operations = static_cast<uint32_t>(input_.symbols.size());
      loop.is_cut_at_begin =
          rest.original(first.range.begin) == 0 && first.begin_phase != 0 && loop.iterations.front().begin > 0;
      loop.is_cut_at_end = rest.original(last.range.end - 1) + 1 == operations && last.end_phase != 0 &&
                           loop.iterations.back().end < operations;
    }
    found_.loops.push_back(std::move(loop));
    shared_.insert(shared_.end(), shared.begin(), shared.end());
    return true;
  }

  const MiningInput& input_;
  const std::optional<uint32_t> count_;  // of the outermost loop, where it is known
  const Symbol alphabet_;
  Loops found_;
  std::vector<SharedEdge> shared_;
  std::vector<OperationRange> covered_;  // of what was left, by the loop found last
};

}  // namespace

Loops mine_periods(const MiningInput& input, std::optional<uint32_t> count) { return Miner(input, count).run(); }

}  // namespace xsp::analysis
