#pragma once

#include <time.h>

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "inject/record/switches.h"

namespace xsp::guest {

/// The same instant on the guest's clock and on the host's.
struct ClockPair {
  uint64_t ticks;
  uint64_t monotonic_ns;
  int64_t realtime_offset_ns;  // CLOCK_REALTIME - CLOCK_MONOTONIC
};

ClockSource choose_clock();

inline uint64_t nanoseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// Reads the TSC. Only where it is `clock_source`.
inline uint64_t read_tsc() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

/// Ticks of `clock_source`.
inline uint64_t now() {
  if (__builtin_expect(clock_source == ClockSource::kTsc, 1)) return read_tsc();
  return nanoseconds(CLOCK_MONOTONIC);
}

/// Reads both clocks together, and returns the tightest of a few attempts.
ClockPair read_clock_pair();

}  // namespace xsp::guest
