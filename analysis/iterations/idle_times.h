#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/iterations/operations.h"
#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Time in ns in which nothing ran before an operation: 0 where others still run when it begins, and of the first.
/// Cheapest for operations in order; anywhere else it looks at a few hundred others.
class IdleTimes {
 public:
  IdleTimes(const Trace& trace, const Operations& operations);

  int64_t before(size_t operation);

 private:
  static constexpr size_t kBlock = 256;

  int64_t end_of(size_t operation) const { return trace_.spans.end[operations_.row(operation)]; }

  const Trace& trace_;
  const Operations& operations_;
  std::vector<int64_t> before_block_;  // latest end of all operations before each block
  size_t seen_ = 0;                    // operations whose ends latest_ is of
  int64_t latest_ = INT64_MIN;
};

}  // namespace xsp::analysis
