#pragma once

#include <cstdint>
#include <vector>

#include "collector/import/kineto/host_threads.h"

namespace xsp::kineto {

/// Finds out whether operators were taken out of a profile, by the "Ev Idx" of its events. The profiler makes one list
/// of all that the host did: thread by thread the operators and annotations, then the allocations, and behind all
/// threads the Python functions. So those of a thread have indices without a gap, and still have them in a profile that
/// was cut in time, or that lost events of another kind.
class OperatorIndices {
 public:
  explicit OperatorIndices(HostThreads* threads) : threads_(threads) {}

  /// An operator or annotation.
  void add(uint32_t thread, int64_t index);
  /// Tells each process how many of its own are missing.
  void tell();

 private:
  struct Range {
    uint64_t count = 0;
    int64_t first = 0;
    int64_t last = 0;
  };

  HostThreads* threads_;
  std::vector<Range> ranges_;  // by thread
};

}  // namespace xsp::kineto
