#pragma once

#include <sched.h>

#include <atomic>

#include "inject/guard/lock_order.h"
#include "inject/guard/signal_guard.h"

namespace xsp::guest {

/// The lock of the slow paths (a thread's first span, a new string). It lives in memory that a fork wipes, so that it
/// is free in the child even if another thread held it at the fork. Never taken between a program's call and its return
/// on the hot path. `kOrder`: its place among the others.
template <LockOrder kOrder>
class SpinLock {
 public:
  void lock() {
    while (locked_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_;
};

/// Holds the lock, and keeps the thread's signals blocked. Costs two system calls, so it is not for what happens often.
template <LockOrder kOrder>
class LockGuard {
 public:
  explicit LockGuard(SpinLock<kOrder>& lock) : lock_(lock) { lock_.lock(); }
  ~LockGuard() { lock_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  SignalGuard signal_guard_;
  SpinLock<kOrder>& lock_;
};

}  // namespace xsp::guest
