#include "import/kineto/operator_indices.h"

#include <algorithm>

namespace xsp::kineto {
namespace {

/// No real list is longer; a larger index is damage.
constexpr int64_t kMostIndices = UINT32_MAX;

}  // namespace

void OperatorIndices::extend(int64_t index, Range* range) {
  if (index < 0 || index > kMostIndices) return;
  range->first = range->count == 0 ? index : std::min(range->first, index);
  range->last = range->count == 0 ? index : std::max(range->last, index);
  ++range->count;
}

void OperatorIndices::add(uint32_t thread, int64_t index) {
  if (thread >= ranges_.size()) ranges_.resize(thread + size_t{1});
  extend(index, &ranges_[thread]);
}

void OperatorIndices::tell() {
  if (2 * file_.count >= file_.length()) return;
  for (uint32_t thread = 0; thread < ranges_.size(); ++thread) {
    const Range& range = ranges_[thread];
    if (range.length() <= range.count) continue;
    threads_->thread(thread).host->process.miss_operators(range.length() - range.count);
  }
}

}  // namespace xsp::kineto
