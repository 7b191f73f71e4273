#pragma once

#include <atomic>
#include <cstdint>

#include "inject/record/clock.h"

namespace xsp::guest {

struct Thread;

/// What recording costs the program's threads, as far as the guest sees it. One hook in kHooksPerTimed is timed and
/// stands for the others. It is drawn at random, so that no pattern of the program falls into step with it. What
/// happens outside of our functions is not seen: the stub that leads into them, caches that they displace, and what
/// PyTorch and CUPTI do to call them (doc/continuous.md says how much that is).
inline constexpr uint32_t kHooksPerTimed = 128;

/// The guest's own threads whose CPU time is reported.
enum class OwnThread : uint8_t { kSender, kActivity, kEvents, kCounter };
inline constexpr size_t kOwnThreads = 4;

/// The process's share of it; what its threads add up lies in the headers of their rings.
struct HookTimes {
  std::atomic<uint64_t> own_threads_ns[kOwnThreads];
  uint32_t clock_ticks;    // between two readings of the clock with nothing in between
  uint64_t longest_ticks;  // in longer hooks the thread lost the processor: they stand for themselves alone
};

void prepare_hook_times(HookTimes& times);

/// Begin and end of a hook that is timed. `begin` is what begin_hook_time() returned, or a reading of the clock that
/// the hook made itself. Hooks inside it are part of it.
uint64_t begin_hook_time(Thread& thread);
void end_hook_time(Thread& thread, uint64_t begin, uint64_t end);

/// Adds work that was done once and stands for itself alone. If a hook around it is being timed, that hook does not
/// count it again.
void add_hook_time(Thread& thread, uint64_t ticks);

/// Reports the CPU time of a thread of the guest's own; that thread calls it now and then.
void tell_own_time(OwnThread thread);

}  // namespace xsp::guest
