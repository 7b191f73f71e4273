#pragma once

#include <atomic>
#include <cstdint>

#include "inject/record/clock.h"

namespace xsp::guest {

struct Thread;

/// What recording costs the program's threads, as far as the guest sees it: some of the hooks are timed, each of which
/// stands for as many as come to one timed one. Which ones is drawn at random, so that no pattern of the program's is
/// in step with it. What happens outside of our functions is not seen: the stub that leads into them, caches that they
/// have used, and what PyTorch and CUPTI do to call them (doc/continuous.md has how far that is).
inline constexpr uint32_t kHooksPerTimed = 128;

/// Threads of the guest's own whose time is taken.
enum class OwnThread : uint8_t { kSender, kActivity, kEvents, kCounter };
inline constexpr size_t kOwnThreads = 4;

/// What the process has of it; what its threads add up is in the heads of their rings.
struct HookTimes {
  std::atomic<uint64_t> own_threads_ns[kOwnThreads];
  uint32_t clock_ticks;    // between two readings of the clock with nothing in between
  uint64_t longest_ticks;  // longer ones are those in which the thread lost the processor: they stand for themselves
};

void prepare_hook_times(HookTimes& times);

/// A hook of a thread that is being timed. `begin` is its own reading of the clock, or one that the hook has made. Its
/// inner hooks are parts of it.
uint64_t begin_hook_time(Thread& thread);
void end_hook_time(Thread& thread, uint64_t begin, uint64_t end);

/// What was done once, and stands for itself. A hook that is being timed around it does not count it again.
void add_hook_time(Thread& thread, uint64_t ticks);

/// By threads of the guest's own, now and then.
void tell_own_time(OwnThread thread);

}  // namespace xsp::guest
