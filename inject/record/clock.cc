#include "inject/record/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "inject/record/clock_offset.h"

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
  const auto read_monotonic = [] { return nanoseconds(CLOCK_MONOTONIC); };
  const ReadTogether read = read_together([] { return now(); }, read_monotonic);
  return {.ticks = clock_source == ClockSource::kMonotonic ? read.inner : read.outer,
          .monotonic_ns = read.inner,
          // For dates only, so that one attempt is exact enough.
          .realtime_offset_ns = static_cast<int64_t>(nanoseconds(CLOCK_REALTIME) - read_monotonic())};
}

int64_t read_realtime_offset() {
  const ReadTogether read =
      read_together([] { return nanoseconds(CLOCK_MONOTONIC); }, [] { return nanoseconds(CLOCK_REALTIME); });
  return static_cast<int64_t>(read.inner) - static_cast<int64_t>(read.outer);
}

}  // namespace xsp::guest
