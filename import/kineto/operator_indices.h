#pragma once

#include <cstdint>
#include <vector>

#include "import/kineto/host_threads.h"

namespace xsp::kineto {

/// Finds out whether operators were removed from a profile, by the "Ev Idx" of its events. The profiler makes one list
/// of all that the host did: thread by thread the operators and annotations, then the allocations, and after all
/// threads the Python functions. So the indices of a thread have no gaps, even in a profile that was cut in time, or
/// that lost events of another kind. Other writers number events of all threads in one order: if the file has half of
/// the indices between its smallest and its largest, nothing was removed from it.
class OperatorIndices {
 public:
  explicit OperatorIndices(HostThreads* threads) : threads_(threads) {}

  /// Any event with an index.
  void note(int64_t index) { extend(index, &file_); }
  /// An operator or annotation.
  void add(uint32_t thread, int64_t index);
  /// Tells each process how many of its operators are missing.
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
