#include "analysis/mining/phases.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

constexpr size_t kLeastTogether = 2;  // iterations in a run, on average
constexpr uint32_t kFarShare = 8;     // of a pattern: less missing is no phase

constexpr size_t kOddOnes = 100;  // one of so many iterations

constexpr uint32_t kCompared = 16;  // operations at a begin

// Where, from `least` to `most`, the sequence looks most like the pattern's begin; `otherwise` where it nowhere does.
uint32_t nearest_begin(const std::vector<Symbol>& pattern, std::span<const Symbol> symbols, uint32_t least,
                       uint32_t most, uint32_t otherwise) {
  uint32_t best = otherwise, most_equal = 0;
  const auto compared = std::min(kCompared, static_cast<uint32_t>(pattern.size()));
  for (uint32_t at = least; at <= most && at + compared <= symbols.size(); ++at) {
    uint32_t equal = 0;
    for (uint32_t i = 0; i < compared; ++i) equal += symbols[at + i] == pattern[i] ? 1 : 0;
    if (equal > most_equal) {
      most_equal = equal;
      best = at;
    }
  }
  return most_equal * 2 > compared ? best : otherwise;
}

}  // namespace

void remove_other_phases(std::vector<LoopIteration>& iterations, const std::vector<Symbol>& pattern,
                         std::span<const Symbol> symbols) {
  const auto size = static_cast<uint32_t>(pattern.size());
  if (iterations.size() < 4) return;
  std::vector<uint32_t> missing;
  for (const LoopIteration& iteration : iterations) missing.push_back(iteration.missing);
  std::sort(missing.begin(), missing.end());
  // The widest step between what most iterations lack and what the others do.
  size_t split = 0;
  uint32_t step = 0;
  // The few that lack the most belong to neither.
  const size_t odd = std::max<size_t>(2, missing.size() / kOddOnes);
  for (size_t i = missing.size() / 2; i + odd < missing.size(); ++i) {
    if (missing[i + 1] - missing[i] > step) {
      step = missing[i + 1] - missing[i];
      split = i + 1;
    }
  }
  if (split == 0 || missing.size() - split < 2) return;
  const uint32_t near = missing[split - 1], far = missing[split],
                 farthest = missing[split + (missing.size() - split) * 9 / 10];
  if (far * kFarShare < size || far < 3 * near + 2 || farthest - far > step) return;
  size_t runs = 0;
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (iterations[i].missing >= far && (i == 0 || iterations[i - 1].missing < far)) ++runs;
  }
  if ((missing.size() - split) < kLeastTogether * runs) return;
  for (size_t i = 1; i < iterations.size(); ++i) {
    LoopIteration& iteration = iterations[i];
    if (iterations[i - 1].missing < far || iteration.missing >= far) continue;
    // Of its first operations some may have stood for what the part lacks.
    const uint32_t least = std::max(iteration.begin - std::min(iteration.begin, iteration.missing),
                                    iterations[i - 1].begin + (size - iterations[i - 1].missing) / 2);
    const uint32_t behind = iteration.begin + iteration.inserted;
    const uint32_t begin = nearest_begin(
        pattern, symbols, std::max(std::min(least, iteration.begin), behind - std::min(behind, kCompared)),
        std::min(behind + kCompared, iteration.end), iteration.begin);
    if (begin > iteration.begin) {
      iteration.inserted -= std::min(iteration.inserted, begin - iteration.begin);
    } else {
      iteration.missing -= std::min(iteration.missing, iteration.begin - begin);
    }
    iteration.begin = begin;
  }
  std::erase_if(iterations, [far](const LoopIteration& iteration) { return iteration.missing >= far; });
}

}  // namespace xsp::analysis
