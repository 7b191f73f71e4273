#include "collector/clocks/tsc_rate.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/monotonic_clock.h"

namespace xsp {
namespace {

constexpr uint64_t kMinTscBaselineNs = 1'000'000;

uint64_t read_ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

}  // namespace

TscRate::TscRate() : ticks_(read_ticks()), ns_(monotonic_ns()) {}

double TscRate::ticks_per_ns() const {
  const uint64_t ticks = read_ticks() - ticks_;
  const uint64_t ns = monotonic_ns() - ns_;
  return ns < kMinTscBaselineNs ? 0 : static_cast<double>(ticks) / static_cast<double>(ns);
}

}  // namespace xsp
