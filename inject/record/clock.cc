#include "inject/record/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

namespace xsp::guest {

ClockSource choose_clock() {
#if defined(__x86_64__)
  // The kernel checks at boot, and from then on, that the TSC is invariant and in step on all cores; it names another
  // source as soon as one of these fails.
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (file < 0) return ClockSource::kMonotonic;
  char name[8] = {};
  const ssize_t length = read(file, name, sizeof name - 1);
  close(file);
  if (length >= 3 && memcmp(name, "tsc", 3) == 0 && (name[3] == '\n' || name[3] == '\0')) return ClockSource::kTsc;
#endif
  return ClockSource::kMonotonic;
}

ClockPair read_clock_pair() {
  ClockPair best{};
  uint64_t narrowest = UINT64_MAX;
  // An interrupt between the readings would shift one clock against the other: the attempt that took least time had
  // none.
  for (int attempt = 0; attempt < 5; ++attempt) {
    const uint64_t before = now();
    const uint64_t monotonic = nanoseconds(CLOCK_MONOTONIC);
    const uint64_t after = now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best.ticks = clock_source == ClockSource::kMonotonic ? monotonic : before + (after - before) / 2;
    best.monotonic_ns = monotonic;
  }
  // For dates only, so that one attempt is exact enough.
  const uint64_t monotonic = nanoseconds(CLOCK_MONOTONIC);
  best.realtime_offset_ns = static_cast<int64_t>(nanoseconds(CLOCK_REALTIME) - monotonic);
  return best;
}

}  // namespace xsp::guest
