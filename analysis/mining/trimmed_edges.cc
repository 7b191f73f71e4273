#include "analysis/mining/trimmed_edges.h"

#include <algorithm>

#include "analysis/mining/alignment.h"

namespace xsp::analysis {
namespace {

constexpr uint32_t kLeastTrimmed = 4;  // operations
constexpr uint32_t kMostTries = 64;    // places at which an iteration may begin or end

// How many operations can go from the begin so that all of them are insertions.
uint32_t leading_insertions(std::span<const Symbol> text, std::span<const Symbol> pattern, uint32_t inserted,
                            uint32_t deviations, uint32_t least) {
  uint32_t tries = 0;
  for (uint32_t size = inserted; size >= least && tries < kMostTries; --size) {
    if (text[size] != pattern.front()) continue;
    ++tries;
    if (edit_distance(text.subspan(size), pattern, deviations - size)) return size;
  }
  return 0;
}

uint32_t trailing_insertions(std::span<const Symbol> text, std::span<const Symbol> pattern, uint32_t inserted,
                             uint32_t deviations, uint32_t least) {
  uint32_t tries = 0;
  for (uint32_t size = inserted; size >= least && tries < kMostTries; --size) {
    if (text[text.size() - size - 1] != pattern.back()) continue;
    ++tries;
    if (edit_distance(text.first(text.size() - size), pattern, deviations - size)) return size;
  }
  return 0;
}

}  // namespace

std::vector<TrimmedEdge> trim_edges(std::vector<LoopIteration>& iterations, std::span<const Symbol> pattern,
                                    std::span<const Symbol> symbols) {
  std::vector<TrimmedEdge> trimmed;
  const uint32_t least = std::max(kLeastTrimmed, static_cast<uint32_t>(pattern.size() / 4));
  for (uint32_t i = 0; i < iterations.size(); ++i) {
    LoopIteration& iteration = iterations[i];
    const auto text = [&] { return symbols.subspan(iteration.begin, iteration.size()); };
    if (iteration.inserted < least || iteration.inserted >= iteration.size()) continue;
    if (const uint32_t size = leading_insertions(text(), pattern, iteration.inserted, iteration.deviations(), least)) {
      trimmed.push_back({i, iteration.begin, iteration.begin + size, true});
      iteration.begin += size;
      iteration.inserted -= size;
    }
    if (iteration.inserted < least) continue;
    if (const uint32_t size = trailing_insertions(text(), pattern, iteration.inserted, iteration.deviations(), least)) {
      trimmed.push_back({i, iteration.end - size, iteration.end, false});
      iteration.end -= size;
      iteration.inserted -= size;
    }
  }
  return trimmed;
}

void give_back_edges(const std::vector<SharedEdge>& edges, size_t operations, Loops* found) {
  for (const SharedEdge& edge : edges) {
    uint64_t taken = 0;
    for (uint32_t i = 0; i < found->loops.size(); ++i) {
      if (i == edge.loop) continue;
      const auto& iterations = found->loops[i].iterations;
      auto other = std::partition_point(iterations.begin(), iterations.end(), [&](const LoopIteration& iteration) {
        return iteration.end <= edge.range.begin;
      });
      for (; other != iterations.end() && other->begin < edge.range.end; ++other) {
        taken += std::min(other->end, edge.range.end) - std::max(other->begin, edge.range.begin);
      }
    }
    if (taken != 0) continue;
    Loop& loop = found->loops[edge.loop];
    LoopIteration& iteration = loop.iterations[edge.iteration];
    if (iteration.begin == edge.range.end)
      iteration.begin = edge.range.begin;
    else if (iteration.end == edge.range.begin)
      iteration.end = edge.range.end;
    else
      continue;
    iteration.inserted += edge.range.size();
    loop.coverage += static_cast<double>(edge.range.size()) / static_cast<double>(operations);
  }
}

}  // namespace xsp::analysis
