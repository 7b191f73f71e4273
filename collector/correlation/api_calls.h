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

/// Calls of the CUDA API that came as activity records, because callbacks were not available: turns them into spans of
/// their threads, each in its own ring (kApiCallRingBase), and into launches for the join.
///
/// A runtime call and the driver call inside it come as two records with one correlation id, in any order. Such a
/// driver call is part of the runtime call and left out, so driver calls wait until the runtime call must have come.
class ApiCalls {
 public:
  ApiCalls(uint32_t process, LossTable& losses, SpanAccount& account)
      : process_(process), losses_(losses), account_(account) {}

  /// Takes a call, times in nanoseconds.
  void add(uint32_t thread, const SpanRow& call, uint64_t now_ns);
  /// Gives ids to the calls that were added since the last time, passes their launches to the join, and hands them to
  /// the trace.
  void end_batch(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer);
  /// To be called every second.
  void flush_if_due(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer);
  /// Writes the spans that are being batched.
  void flush(TraceWriter& writer);
  /// No more will come: writes everything.
  void finish(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer);

  /// Spans handed to the trace.
  uint64_t count() const { return count_; }
  /// Calls that may be part of others, and are passed to the trace only if they are not.
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
  /// Decides on the driver call that has waited longest.
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
