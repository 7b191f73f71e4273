#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/continuous/aggregate_table.h"
#include "collector/continuous/span_storage.h"
#include "collector/writing/ring_stream.h"
#include "proto/activity_columns.h"
#include "proto/span_columns.h"

namespace xsp {

/// Counts all spans and executions of one process, and decides which are stored. If nothing limits the trace, it counts
/// nothing and all are stored.
class SpanAccount {
 public:
  /// `storage` is not owned and must outlive this object. `process` as in the trace.
  SpanAccount(SpanStorage& storage, uint32_t process, uint64_t begin_ns)
      : storage_(storage), process_(process), begin_ns_(begin_ns), minute_begin_ns_(begin_ns) {}

  /// Counts spans (times in nanoseconds), and moves those to be stored to the front. Returns how many these are.
  size_t keep(SpanRow* rows, size_t count, uint64_t now_ns);
  /// Counts an execution. True: it is stored.
  bool keep(const ActivityRow& row, uint64_t now_ns);

  /// Counts spans that stand for the next `record_count` records of a ring, and passes it those to be stored: only
  /// these are left in `rows`. What the ring holds for the others is dropped.
  void append(RingStream& stream, uint32_t thread, uint32_t record_count, std::vector<SpanRow>& rows, uint64_t now_ns);

  /// Writes what was counted since the last time, if that was a minute ago, or always with `at_once`.
  void write_minute(uint64_t now_ns, bool at_once);
  /// Writes all that was counted since the process began.
  void write_total(uint64_t now_ns) const;

  /// When the first span that was not stored because the file was full began; UINT64_MAX: there was none.
  uint64_t first_not_stored_ns() const { return first_not_stored_ns_; }
  /// All that write_minute() has written.
  const AggregateTable& total() const { return total_; }
  uint64_t not_stored() const { return not_stored_; }

 private:
  /// Whether keep() may leave spans out.
  bool may_drop() const { return storage_.counts() && storage_.budget().has_limits(); }

  SpanStorage& storage_;
  uint32_t process_;
  uint64_t begin_ns_;
  uint64_t minute_begin_ns_;
  AggregateTable minute_;
  AggregateTable total_;
  uint64_t not_stored_ = 0;
  uint64_t first_not_stored_ns_ = UINT64_MAX;  // since the file has been full
};

}  // namespace xsp
