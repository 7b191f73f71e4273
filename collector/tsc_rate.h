#pragma once

#include <cstdint>

namespace xsp {

/// CLOCK_MONOTONIC in nanoseconds.
uint64_t monotonic_ns();
/// CLOCK_REALTIME - CLOCK_MONOTONIC in nanoseconds.
int64_t realtime_offset_ns();

/// Measures the rate of this host's time-stamp counter against CLOCK_MONOTONIC, from construction on.
class TscRate {
 public:
  TscRate();
  /// Ticks per nanosecond; 0 within the first millisecond and on hosts without a TSC.
  double ticks_per_ns() const;

 private:
  uint64_t ticks_;
  uint64_t ns_;
};

}  // namespace xsp
