#pragma once

#include <cstdint>
#include <vector>

#include "import/kineto/host_threads.h"

namespace xsp::kineto {

/// Finds out whether operators were taken out of a profile, by the "Ev Idx" of its events. The profiler makes one list
/// of all that the host did: thread by thread the operators and annotations, then the allocations, and behind all
/// threads the Python functions. So those of a thread have indices without a gap, and still have them in a profile that
/// was cut in time, or that lost events of another kind. Other writers number events of all threads in one order: where
/// the file has half of the indices between its least and its greatest nothing was taken out of it.
class OperatorIndices {
 public:
  explicit OperatorIndices(HostThreads* threads) : threads_(threads) {}

  /// Any event with an index.
  void note(int64_t index) { extend(index, &file_); }
  /// An operator or annotation.
  void add(uint32_t thread, int64_t index);
  /// Tells each process how many of its own are missing.
  void tell();

 private:
  struct Range {
    uint64_t count = 0;
    int64_t first = 0;
    int64_t last = 0;

    uint64_t length() const { return count == 0 ? 0 : static_cast<uint64_t>(last - first) + 1; }
  };

  static void extend(int64_t index, Range* range);

  HostThreads* threads_;
  Range file_;
  std::vector<Range> ranges_;  // by thread
};

}  // namespace xsp::kineto
