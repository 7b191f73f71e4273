#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/trace/trace.h"

namespace xsp::analysis {

/// Kernels, copies and memsets by their queue, those of each in order of begin (of equal begins in order of end, then
/// of recording), as indices in Trace::executions.
class QueuedWork {
 public:
  /// Of one process, or of all.
  QueuedWork(const Trace& trace, std::optional<uint32_t> process);

  std::span<const uint32_t> of(uint32_t queue) const {
    return std::span(executions_).subspan(first_of_[queue], first_of_[queue + 1] - first_of_[queue]);
  }
  /// Those of several queues together, in the same order.
  std::vector<uint32_t> merged(std::span<const uint32_t> queues) const;

 private:
  const Trace& trace_;
  std::vector<uint32_t> executions_;
  std::vector<size_t> first_of_;  // by queue
};

/// All of a process in the same order.
struct ExecutionOrder {
  std::vector<uint32_t> executions;  // empty: first, first + 1, …, as they stand
  uint32_t first = 0;
  size_t count = 0;
};
ExecutionOrder execution_order(const Trace& trace, uint32_t process);

/// Indices in Trace::queues of the queues of a process.
std::vector<uint32_t> queues_of(const Trace& trace, uint32_t process);

}  // namespace xsp::analysis
