#include "analysis/mining/enclosing_loop.h"

#include <algorithm>

#include "analysis/mining/confidence.h"
#include "analysis/mining/first_phase.h"
#include "analysis/mining/pattern_choice.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kLeastBetween = 4;  // operations: fewer at a place are noise, unless they mostly occur there
constexpr size_t kRepeatsRead = 12;
constexpr uint32_t kMostExact = 64;

// The sequence with each run of repeats as one operation.
struct Reduced {
  std::vector<Symbol> symbols;
  std::vector<uint32_t> positions;
};

Reduced reduce(const std::vector<MatchedBlock>& blocks, std::span<const Symbol> symbols, OperationRange range,
               Symbol run) {
  std::vector<uint32_t> all(run, 0), outside(run, 0);
  for (uint32_t i = range.begin; i < range.end; ++i) ++all[symbols[i]];
  // Before the first repeat and after the last there is not much more than between two.
  uint32_t longest = 0;
  for (size_t i = 1; i < blocks.size(); ++i) {
    longest = std::max(longest, 4 * (blocks[i].position - blocks[i - 1].position - blocks[i - 1].size));
  }
  if (!blocks.empty()) {
    const uint32_t first = blocks.front().position, last = blocks.back().position + blocks.back().size;
    range.begin = std::max(range.begin, first - std::min(first, longest));
    range.end = static_cast<uint32_t>(std::min<uint64_t>(range.end, uint64_t{last} + longest));
  }
  const auto each_piece = [&](auto&& act) {
    uint32_t from = range.begin;
    for (const MatchedBlock& block : blocks) {
      if (block.position > from) act(from, block.position);
      from = block.position + block.size;
    }
    if (range.end > from) act(from, range.end);
  };
  each_piece([&](uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) ++outside[symbols[i]];
  });
  Reduced reduced;
  uint32_t last = range.begin;
  const auto add_run = [&](uint32_t position) {
    if (!reduced.symbols.empty() && reduced.symbols.back() == run) return;
    reduced.symbols.push_back(run);
    reduced.positions.push_back(position);
  };
  each_piece([&](uint32_t from, uint32_t to) {
    const bool is_foreign = std::any_of(symbols.begin() + from, symbols.begin() + to,
                                        [&](Symbol symbol) { return outside[symbol] * 2 > all[symbol]; });
    if (!is_foreign && to - from < kLeastBetween) return;
    if (from > last) add_run(last);
    for (uint32_t i = from; i < to; ++i) {
      reduced.symbols.push_back(symbols[i]);
      reduced.positions.push_back(i);
    }
    last = to;
  });
  if (range.end > last) add_run(last);
  return reduced;
}

}  // namespace

std::optional<EnclosingLoop> find_enclosing_loop(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols,
                                                 OperationRange range, Symbol alphabet,
                                                 const std::function<int64_t(size_t)>& idle_before) {
  std::vector<MatchedBlock> blocks;
  TrackOptions options;
  options.blocks = &blocks;
  track_pattern(CyclicPattern(pattern), symbols, range, options);
  Reduced reduced = reduce(blocks, symbols, range, alphabet);
  const OperationRange all{0, static_cast<uint32_t>(reduced.symbols.size())};
  if (all.size() < 4) return std::nullopt;
  std::vector<Symbol> around = choose_pattern(reduced.symbols, all);
  if (std::find(around.begin(), around.end(), alphabet) == around.end()) return std::nullopt;
  PatternTrack track = track_pattern(CyclicPattern(around), reduced.symbols, all);
  std::function<int64_t(size_t)> idle_before_reduced;
  if (idle_before) idle_before_reduced = [&](size_t i) { return idle_before(reduced.positions[i]); };
  around = rotated(around, first_phase(around, reduced.symbols, track, idle_before_reduced).phase);
  // An operation at the edge of a run may have become part of it.
  TrackOptions edges;
  edges.tail_tolerance = 2;
  track = track_pattern(CyclicPattern(around), reduced.symbols, all, edges);
  const LoopEvidence evidence = weigh_loop(around, reduced.symbols, all, track);
  if (!evidence.is_loop() && !(evidence.confidence() > 0.7 && evidence.closure > 0.7 && evidence.bits > 0)) {
    return std::nullopt;
  }
  EnclosingLoop found;
  found.inner.pattern = pattern;
  uint32_t piece = 0;
  for (const Symbol symbol : around) {
    piece = symbol == alphabet ? 0 : piece + 1;
    if (symbol != alphabet) found.inner.addition.push_back(symbol);
    found.inner.longest_run = std::max(found.inner.longest_run, piece);
  }
  std::vector<OperationRange> repeats;
  for (const LoopIteration& iteration : track.iterations) {
    const uint32_t begin = reduced.positions[iteration.begin];
    const uint32_t end = iteration.end < all.end ? reduced.positions[iteration.end] : range.end;
    repeats.push_back({begin, end});
  }
  // The middle one by length goes first: the pattern of loops whose iterations vary.
  std::vector<OperationRange> by_size = repeats;
  std::sort(by_size.begin(), by_size.end(),
            [](const OperationRange& a, const OperationRange& b) { return a.size() < b.size(); });
  const OperationRange middle = by_size[by_size.size() / 2];
  std::vector<OperationRange> read{middle};
  const size_t step = std::max<size_t>(1, repeats.size() / kRepeatsRead);
  for (size_t i = 0; i < repeats.size() && read.size() < kRepeatsRead; i += step) read.push_back(repeats[i]);
  found.pattern = common_pattern(symbols, read, range);
  if (found.pattern.empty()) return std::nullopt;
  for (const OperationRange& repeat : repeats) {
    const auto here = symbols.subspan(repeat.begin, repeat.size());
    LoopIteration iteration{repeat.begin, repeat.end, 0, 0};
    if (const auto distance = edit_distance(here, found.pattern, kMostExact)) {
      const auto excess = static_cast<int64_t>(here.size()) - static_cast<int64_t>(found.pattern.size());
      iteration.inserted = static_cast<uint32_t>((*distance + excess) / 2);
      iteration.missing = *distance - iteration.inserted;
    } else if (here.size() > found.pattern.size()) {
      iteration.inserted = static_cast<uint32_t>(here.size() - found.pattern.size());
    } else {
      iteration.missing = static_cast<uint32_t>(found.pattern.size() - here.size());
    }
    found.iterations.push_back(iteration);
  }
  return found;
}

}  // namespace xsp::analysis
