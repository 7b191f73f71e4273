#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/writing/trace_writer.h"
#include "proto/activity_columns.h"

namespace xsp {

/// Writes the already joined executions of one process to the trace: in batches, with the queues that they name.
class ExecutionStream {
 public:
  /// `process` as in the trace; the writer is not owned.
  ExecutionStream(uint32_t process, TraceWriter& writer) : process_(process), writer_(writer) {}

  /// Times in nanoseconds; `row.queue` is set here.
  void append(const ActivityRow& row, const ActivityQueue& queue, uint64_t now_ns);
  /// Writes what is buffered.
  void flush();
  /// Writes what has waited long enough, and frees memory that a quiet process does not need.
  void flush_if_due(uint64_t now_ns);

  /// Kernels, copies and memsets that were appended, and those of them without a launch.
  uint64_t executions() const { return executions_; }
  uint64_t unmatched() const { return unmatched_; }

 private:
  uint32_t index_of(const ActivityQueue& queue);

  uint32_t process_;
  TraceWriter& writer_;
  std::vector<ActivityRow> rows_;
  std::vector<ActivityQueue> queues_;
  uint32_t last_queue_ = 0;
  uint64_t written_ = 0;
  uint64_t waiting_since_ = 0;
  uint64_t executions_ = 0;
  uint64_t unmatched_ = 0;
};

}  // namespace xsp
