#pragma once

#include <unistd.h>

#include <atomic>

namespace xsp::guest {

/// A lock that is tried, never waited for. Held by a thread of the parent at a fork, it is no longer held in the child,
/// where that thread is not.
class ProcessLock {
 public:
  bool try_lock() {
    const int pid = getpid();
    int holder = 0;
    if (holder_.compare_exchange_strong(holder, pid, std::memory_order_acquire)) return true;
    return holder != pid && holder_.compare_exchange_strong(holder, pid, std::memory_order_acquire);
  }
  void unlock() { holder_.store(0, std::memory_order_release); }

 private:
  std::atomic<int> holder_;
};

}  // namespace xsp::guest
