#include "analysis/mining/phases.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

constexpr size_t kLeastTogether = 2;  // iterations in a run, in the mean
constexpr uint32_t kFarShare = 8;     // of a pattern: less missing is no phase

constexpr uint32_t kCompared = 16;  // operations at a begin

// Where, near `position`, the sequence looks most like the pattern's begin.
uint32_t nearest_begin(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, uint32_t position,
                       uint32_t least, uint32_t end) {
  uint32_t best = position, most = 0;
  const auto compared = std::min(kCompared, static_cast<uint32_t>(pattern.size()));
  for (uint32_t at = std::max(least, position - std::min(position, kCompared));
       at <= position + kCompared && at + compared <= end; ++at) {
    uint32_t equal = 0;
    for (uint32_t i = 0; i < compared; ++i) equal += symbols[at + i] == pattern[i] ? 1 : 0;
    if (equal > most) {
      most = equal;
      best = at;
    }
  }
  return most * 2 > compared ? best : least;
}

}  // namespace

void remove_other_phases(std::vector<LoopIteration>& iterations, const std::vector<Symbol>& pattern,
                         std::span<const Symbol> symbols) {
  const auto size = static_cast<uint32_t>(pattern.size());
  if (iterations.size() < 4) return;
  std::vector<uint32_t> missing;
  for (const LoopIteration& iteration : iterations) missing.push_back(iteration.missing);
  std::sort(missing.begin(), missing.end());
  // The widest step between what most lack and what the others do.
  size_t split = 0;
  uint32_t step = 0;
  for (size_t i = missing.size() / 2; i + 1 < missing.size(); ++i) {
    if (missing[i + 1] - missing[i] > step) {
      step = missing[i + 1] - missing[i];
      split = i + 1;
    }
  }
  if (split == 0 || missing.size() - split < 2) return;
  const uint32_t near = missing[split - 1], far = missing[split], farthest = missing.back();
  if (far * kFarShare < size || far < 3 * near + 2 || farthest - far > step) return;
  size_t runs = 0;
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (iterations[i].missing >= far && (i == 0 || iterations[i - 1].missing < far)) ++runs;
  }
  if ((missing.size() - split) < kLeastTogether * runs) return;
  for (size_t i = 1; i < iterations.size(); ++i) {
    LoopIteration& iteration = iterations[i];
    if (iterations[i - 1].missing < far || iteration.missing >= far) continue;
    if (iteration.inserted * kFarShare < size) continue;
    const uint32_t begin =
        nearest_begin(pattern, symbols, iteration.begin + iteration.inserted, iteration.begin, iteration.end);
    iteration.inserted -= std::min(iteration.inserted, begin - iteration.begin);
    iteration.begin = begin;
  }
  std::erase_if(iterations, [far](const LoopIteration& iteration) { return iteration.missing >= far; });
}

}  // namespace xsp::analysis
