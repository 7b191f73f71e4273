#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "collector/continuous/span_account.h"
#include "collector/correlation/execution_join.h"
#include "collector/recording/summary.h"
#include "collector/writing/ring_stream.h"

namespace xsp {

/// Calls of the CUDA API that came as activity records, because callbacks were not available: makes them spans of their
/// threads, each in a ring of its own (kApiCallRingBase), and launches for the join.
///
/// A call of the runtime and the driver's call inside it come as two records of one correlation id, in any order. Such
/// a driver call is a part of the other and left out, so driver calls wait until the other one must have come.
class ApiCalls {
 public:
  ApiCalls(uint32_t process, LossTable& losses, SpanAccount& account)
      : process_(process), losses_(losses), account_(account) {}

  /// Takes a call, times in nanoseconds.
  void add(uint32_t thread, const SpanRow& call, uint64_t now_ns);
  /// Gives ids to the calls that were added since the last time, passes their launches to the join, and hands them to
  /// the trace.
  void end_batch(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer);
  /// Call it every second.
  void flush_if_due(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer);
  /// Writes the spans that are joined into larger batches.
  void flush(TraceWriter& writer);
  /// No more will come: writes everything.
  void finish(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer);

  /// Spans handed to the trace.
  uint64_t count() const { return count_; }
  /// Calls that may be a part of others, and are handed to the trace only if not.
  size_t waiting() const { return driver_calls_.size(); }

 private:
  struct Thread {
    uint32_t ring;
    RingStream stream;
    std::vector<SpanRow> calls;  // since the last end_batch()
    uint32_t ids = 0;
  };
  struct DriverCall {
    uint32_t thread;
    SpanRow call;
    uint64_t since_ns;
  };

  void keep(uint32_t thread, const SpanRow& call);
  /// Decides about the driver call that waits longest.
  void release_first(ExecutionJoin& join);

  uint32_t process_;
  LossTable& losses_;
  SpanAccount& account_;
  std::map<uint32_t, Thread> threads_;
  std::deque<DriverCall> driver_calls_;
  bool has_calls_ = false;
  uint64_t count_ = 0;
};

}  // namespace xsp
