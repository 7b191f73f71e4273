#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "collector/correlation/execution_join.h"
#include "collector/ring_stream.h"

namespace xsp {

/// Calls of the CUDA API that came as activity records, because callbacks could not be had: makes them spans of their
/// threads, each in a ring of its own (kApiCallRingBase), and launches for the join.
class ApiCalls {
 public:
  explicit ApiCalls(uint32_t process) : process_(process) {}

  /// Takes a call, times in nanoseconds. False: too many threads.
  bool add(uint32_t thread, const SpanRow& call);
  /// Gives the calls added since the last time their ids, tells the join, and hands them to the trace.
  void end_batch(ExecutionJoin& join, uint64_t now_ns, TraceWriter& writer);
  void flush(TraceWriter& writer);
  void flush_if_due(uint64_t now_ns, TraceWriter& writer);

 private:
  struct Thread {
    uint32_t ring;
    RingStream stream;
    std::vector<SpanRow> calls;  // since the last end_batch()
    uint32_t ids = 0;
  };

  uint32_t process_;
  std::map<uint32_t, Thread> threads_;
  bool has_calls_ = false;
};

}  // namespace xsp
