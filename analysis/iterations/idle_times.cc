#include "analysis/iterations/idle_times.h"

#include <algorithm>

namespace xsp::analysis {

IdleTimes::IdleTimes(const Trace& trace, const Operations& operations) : trace_(trace), operations_(operations) {
  before_block_.reserve(operations.size() / kBlock + 1);
  int64_t latest = INT64_MIN;
  for (size_t i = 0; i < operations.size(); ++i) {
    if (i % kBlock == 0) before_block_.push_back(latest);
    latest = std::max(latest, end_of(i));
  }
}

int64_t IdleTimes::before(size_t operation) {
  if (operation == 0) return 0;
  if (seen_ > operation || operation - seen_ >= kBlock) {
    seen_ = operation / kBlock * kBlock;
    latest_ = before_block_[operation / kBlock];
  }
  for (; seen_ < operation; ++seen_) latest_ = std::max(latest_, end_of(seen_));
  return std::max<int64_t>(0, trace_.spans.begin[operations_.row(operation)] - latest_);
}

}  // namespace xsp::analysis
