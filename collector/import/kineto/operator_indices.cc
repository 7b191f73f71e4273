#include "collector/import/kineto/operator_indices.h"

#include <algorithm>

namespace xsp::kineto {
namespace {

/// No list is longer; a larger index is damage.
constexpr int64_t kMostIndices = UINT32_MAX;

}  // namespace

void OperatorIndices::add(uint32_t thread, int64_t index) {
  if (index < 0 || index > kMostIndices) return;
  if (thread >= ranges_.size()) ranges_.resize(thread + size_t{1});
  Range& range = ranges_[thread];
  range.first = range.count == 0 ? index : std::min(range.first, index);
  range.last = range.count == 0 ? index : std::max(range.last, index);
  ++range.count;
}

void OperatorIndices::tell() {
  for (uint32_t thread = 0; thread < ranges_.size(); ++thread) {
    const Range& range = ranges_[thread];
    if (range.count == 0) continue;
    const auto recorded = static_cast<uint64_t>(range.last - range.first) + 1;
    if (recorded > range.count) threads_->thread(thread).host->process.miss_operators(recorded - range.count);
  }
}

}  // namespace xsp::kineto
