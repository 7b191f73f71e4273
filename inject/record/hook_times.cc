#include "inject/record/hook_times.h"

#include <algorithm>

#include "inject/record/span.h"

namespace xsp::guest {
namespace {

// A hook takes well under a microsecond: one that takes this long was preempted or waited, and must not be multiplied.
constexpr uint64_t kLongestHookNs = 100'000;

uint64_t ticks_per_second() {
  if (clock_source == ClockSource::kMonotonic) return 1'000'000'000;
  // Precise enough, as only the limit for a hook's length depends on it, and short enough for a program's start.
  constexpr uint64_t kMeasuredNs = 20'000;
  const uint64_t begin_ns = nanoseconds(CLOCK_MONOTONIC);
  const uint64_t begin = now();
  uint64_t passed_ns;
  do {
    passed_ns = nanoseconds(CLOCK_MONOTONIC) - begin_ns;
  } while (passed_ns < kMeasuredNs);
  return (now() - begin) * 1'000'000'000 / passed_ns;
}

uint32_t ticks_of_clock() {
  uint64_t least = UINT32_MAX;
  for (int i = 0; i < 32; ++i) {
    const uint64_t begin = now();
    // The shortest: any of the others may have been interrupted.
    least = std::min(least, now() - begin);
  }
  return static_cast<uint32_t>(least);
}

/// Counts in the cache line of the ring's head, which only this thread writes, and which it has just written or is
/// about to write.
void add(Thread& thread, uint64_t ticks) {
  take_next(thread.ring->hook_ticks, ticks);
  // Cost that no rate of sampling reduces: SampleRate needs it apart.
  const bool is_unsampled = thread.recording_ring == nullptr || !are_hooks_running();
  if (is_unsampled) take_next(thread.ring->unsampled_hook_ticks, ticks);
}

}  // namespace

void prepare_hook_times(HookTimes& times) {
  times.clock_ticks = ticks_of_clock();
  times.longest_ticks = ticks_per_second() * kLongestHookNs / 1'000'000'000;
}

uint64_t begin_hook_time(Thread& thread) {
  // Marsaglia's xorshift: three shifts, and a state of one word that is never 0.
  uint32_t random = thread.hook_random;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  thread.hook_random = random;
  // Uniform from 1 to one less than twice the mean, so that the mean is kHooksPerTimed.
  thread.hooks_until_timed = 1 + random % (2 * kHooksPerTimed - 1);
  thread.added_hook_ticks = 0;
  return now();
}

void end_hook_time(Thread& thread, uint64_t begin, uint64_t end) {
  if (thread.ring == nullptr) return;  // a fork in between has wiped the thread's page
  // What one reading of the clock costs is no part of the hook; what has been added apart would be counted twice.
  const uint64_t outside = thread.clock_ticks + thread.added_hook_ticks;
  const uint64_t passed = end - begin;
  const uint64_t ticks = passed > outside ? passed - outside : 0;
  add(thread, ticks > thread.longest_hook_ticks ? ticks : ticks * kHooksPerTimed);
  take_next(thread.ring->hooks_timed);
}

void add_hook_time(Thread& thread, uint64_t ticks) {
  if (thread.ring == nullptr) return;
  thread.added_hook_ticks += ticks;
  add(thread, ticks);
}

void tell_own_time(OwnThread thread) {
  Process* process = awake_process();
  if (process == nullptr) return;
  process->hook_times.own_threads_ns[static_cast<size_t>(thread)].store(nanoseconds(CLOCK_THREAD_CPUTIME_ID),
                                                                        std::memory_order_relaxed);
}

}  // namespace xsp::guest
