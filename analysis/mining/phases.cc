#include "analysis/mining/phases.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

constexpr size_t kLeastTogether = 2;  // iterations in a run, in the mean
constexpr uint32_t kFarShare = 8;     // of a pattern: less missing is no phase

}  // namespace

void remove_other_phases(std::vector<LoopIteration>& iterations, uint32_t size) {
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
  std::erase_if(iterations, [far](const LoopIteration& iteration) { return iteration.missing >= far; });
}

}  // namespace xsp::analysis
