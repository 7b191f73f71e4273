#pragma once

#include <atomic>
#include <cstdint>

#include "inject/cupti/state/session.h"
#include "inject/guard/fork_wiped.h"

namespace xsp::guest {

/// What the thread xsp-activity (activity_thread.h) shares with those who wake it: CUPTI's callbacks, calls of the
/// program, other threads of ours.

/// Called by the thread in each round, as the only thread on which the session may resume after another profiler: takes
/// back what that profiler has released. Returns the nanoseconds until it must be called again; UINT64_MAX: only when
/// the thread is woken.
using SettleDuty = uint64_t(const Session& session);

struct ActivityControl {
  Session* session;
  SettleDuty* settle;
  std::atomic<uint32_t> running;
  std::atomic<uint32_t> wake_word;  // futex
  std::atomic<uint32_t> sleeping;
  std::atomic<uint32_t> finish_requested;
  std::atomic<uint32_t> finished;  // futex
};
extern constinit ForkWiped<ActivityControl> activity_page;

/// A call was seen since the last flush. Apart from the page, as every call reads it.
extern constinit std::atomic<bool> cuda_was_called;
/// The thread sleeps for long, as no records are expected.
extern constinit std::atomic<bool> is_activity_idle;

/// Whether it runs in this process.
bool activity_thread_runs();

/// There is something to do. Cheap when it is awake.
void wake_activity_thread();

/// A call of the CUDA API was seen, which may have launched something. For two seconds the thread has CUPTI flush, even
/// if CUPTI holds no buffer. Costs one load where a call was noted since the last flush.
void note_cuda_call();

}  // namespace xsp::guest
