#pragma once

#include <unistd.h>

#include <atomic>

namespace xsp::guest {

/// A lock that is tried, never waited for. If a thread of the parent held it at a fork, the child finds it free, as
/// that thread does not exist there.
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
