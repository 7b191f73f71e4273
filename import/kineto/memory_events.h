#pragma once

#include <cstdint>
#include <vector>

#include "import/kineto/host_threads.h"

namespace xsp::kineto {

/// The profiler's [memory] events: bytes allocated at a moment on a thread. They are added to all spans open there;
/// freed memory is not subtracted. If a program uses a device, only device memory counts.
class MemoryEvents {
 public:
  explicit MemoryEvents(HostThreads* threads) : threads_(threads) {}

  void add(uint32_t thread, int64_t time_ns, int64_t bytes, bool is_device);
  /// Gives the spans their bytes.
  void count();

 private:
  struct Allocation {
    int64_t time_ns;
    uint64_t bytes;  // later: of all events up to this one
    uint32_t thread;
  };

  HostThreads* threads_;
  std::vector<Allocation> allocations_;
  bool any_ = false;
  bool has_device_ = false;
};

}  // namespace xsp::kineto
