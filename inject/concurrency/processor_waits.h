#pragma once

#include <cstdint>

namespace xsp::guest {

/// How long a thread has waited for a processor, as the scheduler counts it (/proc/thread-self/schedstat). Read at most
/// every 5 ms: of shorter calls that follow each other, one in a few has what all of them have waited since the one
/// before it. Plain data, all zeros at the beginning.
class ProcessorWaits {
 public:
  void call_begins();
  /// Nanoseconds since the call began, or since an earlier one ended; 0 also where it was not read this time. Returns
  /// whether it was.
  bool call_ends(uint64_t* waited_ns);

 private:
  uint64_t read_at_ns_;  // 0: never
  uint64_t waited_ns_;
};

/// Tasks of the machine that run or wait for a processor (/proc/loadavg), this thread counted; 0: not known.
uint32_t runnable_tasks();

}  // namespace xsp::guest
