#pragma once

#include "inject/record/hook_times.h"
#include "inject/record/thread.h"

namespace xsp::guest {

/// Whether this hook of the thread is to be timed. Each hook must ask exactly once. Where the count is taken in two
/// steps (inject/api/direct_span.h), the hook of a signal handler may have counted in between: below zero it is this
/// hook's turn, too.
inline bool is_hook_timed(Thread& thread) {
  return __builtin_expect(static_cast<int32_t>(--thread.hooks_until_timed) <= 0, 0);
}

/// Times the hook in whose scope it lives, if that hook is one that is timed.
class HookTimer {
 public:
  explicit HookTimer(Thread* thread) : thread_(thread != nullptr && is_hook_timed(*thread) ? thread : nullptr) {
    if (__builtin_expect(thread_ != nullptr, 0)) begin_ = begin_hook_time(*thread_);
  }
  /// `begin`: the hook has read the clock already.
  HookTimer(Thread* thread, uint64_t begin) : HookTimer(thread) { begin_ = begin; }
  ~HookTimer() {
    if (__builtin_expect(thread_ != nullptr, 0)) end_hook_time(*thread_, begin_, now());
  }
  HookTimer(const HookTimer&) = delete;
  HookTimer& operator=(const HookTimer&) = delete;

 private:
  Thread* thread_;
  uint64_t begin_ = 0;
};

}  // namespace xsp::guest
