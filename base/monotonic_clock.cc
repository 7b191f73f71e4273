#include "base/monotonic_clock.h"

#include <ctime>

namespace xsp {
namespace {

uint64_t read_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

uint64_t monotonic_ns() { return read_ns(CLOCK_MONOTONIC); }

int64_t realtime_offset_ns() {
  // The middle of the two readings around it: half the error of one.
  const uint64_t before = monotonic_ns();
  const uint64_t real = read_ns(CLOCK_REALTIME);
  const uint64_t after = monotonic_ns();
  return static_cast<int64_t>(real - (before + (after - before) / 2));
}

}  // namespace xsp
