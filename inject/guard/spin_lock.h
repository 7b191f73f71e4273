#pragma once

#include <sched.h>

#include <atomic>

#include "inject/guard/lock_order.h"
#include "inject/guard/signal_guard.h"

namespace xsp::guest {

/// Lock of the slow paths (a thread's first span, a new string). It lives in memory that a fork wipes, so that a lock
/// held by another thread at the moment of the fork is free in the child. Never taken between a program's call and its
/// return on the hot path. `kOrder`: its place among the others.
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

/// Holds the lock, and the thread's signals off. Two system calls: not for what happens often.
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
