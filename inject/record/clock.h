#pragma once

#include <time.h>

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace xsp::guest {

/// Which clock the records carry; values of proto's Clock.
enum class ClockSource : uint8_t { kMonotonic = 0, kTsc = 1 };

/// The same instant on the guest's clock and on the host's.
struct ClockPair {
  uint64_t ticks;
  uint64_t monotonic_ns;
  int64_t realtime_offset_ns;  // CLOCK_REALTIME - CLOCK_MONOTONIC
};

/// Set once, before the first record of the process. Reading the TSC takes half the time of clock_gettime, and is right
/// where the kernel itself keeps time by it (invariant and synchronised); elsewhere CLOCK_MONOTONIC is used.
extern ClockSource clock_source;

ClockSource choose_clock();

inline uint64_t nanoseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// Ticks of `clock_source`.
inline uint64_t now() {
#if defined(__x86_64__)
  if (__builtin_expect(clock_source == ClockSource::kTsc, 1)) return __rdtsc();
#endif
  return nanoseconds(CLOCK_MONOTONIC);
}

/// Reads both clocks together, the tightest of a few tries.
ClockPair read_clock_pair();

}  // namespace xsp::guest
