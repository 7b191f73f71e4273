#include "analysis/mining/nested_loops.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/mining/inner_loop.h"
#include "analysis/mining/pattern_track.h"

namespace xsp::analysis {
namespace {

// The repeats within the iterations of a loop. Appended to the list, so that their own repeats are searched in turn.
void add_inner_loop(size_t parent, std::span<const Symbol> symbols, Loops* found) {
  if (found->loops[parent].level + 1 >= kMostLoopLevels) return;
  const std::optional<InnerLoop> inner = find_inner_loop(found->loops[parent].pattern);
  if (!inner || inner->count < 2) return;
  Loop loop;
  loop.level = found->loops[parent].level + 1;
  loop.parent = static_cast<uint32_t>(parent);
  loop.pattern = inner->pattern;
  const CyclicPattern cyclic(loop.pattern);
  uint64_t covered = 0, all = 0;
  double matched = 0, read = 0;
  TrackOptions options;
  options.tail_tolerance = 2;
  // The same in all iterations that equal the pattern.
  const std::vector<Symbol>& around = found->loops[parent].pattern;
  const PatternTrack plain = track_pattern(cyclic, around, {0, static_cast<uint32_t>(around.size())}, options);
  for (const LoopIteration& outer : found->loops[parent].iterations) {
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
    const PatternTrack track = track_pattern(cyclic, symbols, {outer.begin, outer.end}, options);
    for (const LoopIteration& iteration : track.iterations) {
      covered += iteration.size();
      matched += 2.0 * (iteration.size() - iteration.inserted);
      read += iteration.size() + cyclic.size();
      loop.iterations.push_back(iteration);
    }
  }
  if (loop.iterations.size() < 2) return;
  loop.coverage = all > 0 ? static_cast<double>(covered) / static_cast<double>(all) : 0;
  loop.confidence = read > 0 ? matched / read * found->loops[parent].confidence : 0;
  found->loops.push_back(std::move(loop));
}

}  // namespace

void add_inner_loops(std::span<const Symbol> symbols, Loops* found) {
  for (size_t i = 0; i < found->loops.size(); ++i) add_inner_loop(i, symbols, found);
}

void order_loops(Loops* found) {
  std::vector<uint32_t> places(found->loops.size());
  for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
  const auto operations = [found](uint32_t i) {
    uint64_t sum = 0;
    for (const LoopIteration& iteration : found->loops[i].iterations) sum += iteration.size();
    return sum;
  };
  std::stable_sort(places.begin(), places.end(), [&](uint32_t a, uint32_t b) {
    const uint32_t level_a = found->loops[a].level, level_b = found->loops[b].level;
    return level_a != level_b ? level_a < level_b : operations(a) > operations(b);
  });
  std::vector<uint32_t> now(places.size());
  for (uint32_t i = 0; i < places.size(); ++i) now[places[i]] = i;
  std::vector<Loop> ordered;
  for (const uint32_t place : places) {
    ordered.push_back(std::move(found->loops[place]));
    if (ordered.back().parent != kNoLoop) ordered.back().parent = now[ordered.back().parent];
  }
  found->loops = std::move(ordered);
}

}  // namespace xsp::analysis
