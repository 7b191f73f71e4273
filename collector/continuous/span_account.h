#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/continuous/aggregate_table.h"
#include "proto/activity_columns.h"
#include "proto/span_columns.h"

namespace xsp {

struct Recording;

/// Counts all spans and executions of one process, and decides which are stored. Where nothing limits a trace it does
/// neither, and all are stored.
class SpanAccount {
 public:
  SpanAccount(Recording& recording, uint32_t process, uint64_t begin_ns);

  /// Counts spans, times in nanoseconds, and moves those that are stored to the front. Returns how many these are.
  size_t keep(SpanRow* rows, size_t count, uint64_t now_ns);
  /// Counts an execution. True: it is stored.
  bool keep(const ActivityRow& row, uint64_t now_ns);

  /// Writes what was counted since the last time, if that is a minute ago, or in any case with `at_once`.
  void write_minute(uint64_t now_ns, bool at_once);
  /// Writes all that was counted since the process began.
  void write_total(uint64_t now_ns) const;

  /// Whether keep() may leave spans out.
  bool may_drop() const;
  /// When the first span began that was not stored; UINT64_MAX: there was none.
  uint64_t first_not_stored_ns() const { return first_not_stored_ns_; }
  /// All that write_minute() has written.
  const AggregateTable& total() const { return total_; }
  uint64_t not_stored() const { return not_stored_; }

 private:
  Recording& recording_;
  uint32_t process_;
  uint64_t begin_ns_;
  uint64_t minute_begin_ns_;
  AggregateTable minute_;
  AggregateTable total_;
  uint64_t not_stored_ = 0;
  uint64_t first_not_stored_ns_ = UINT64_MAX;  // since the file is full
};

}  // namespace xsp
