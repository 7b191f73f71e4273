#include "collector/tsc_rate.h"

#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace xsp {
namespace {

constexpr uint64_t kMinBaselineNs = 1'000'000;

uint64_t read_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t read_ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

}  // namespace

uint64_t monotonic_ns() { return read_ns(CLOCK_MONOTONIC); }

int64_t realtime_offset_ns() {
  // The middle of two readings around: half the error of one.
  const uint64_t before = monotonic_ns();
  const uint64_t real = read_ns(CLOCK_REALTIME);
  const uint64_t after = monotonic_ns();
  return static_cast<int64_t>(real - (before + (after - before) / 2));
}

TscRate::TscRate() : ticks_(read_ticks()), ns_(monotonic_ns()) {}

double TscRate::ticks_per_ns() const {
  const uint64_t ticks = read_ticks() - ticks_;
  const uint64_t ns = monotonic_ns() - ns_;
  return ns < kMinBaselineNs ? 0 : static_cast<double>(ticks) / static_cast<double>(ns);
}

}  // namespace xsp
