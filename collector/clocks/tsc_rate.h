#pragma once

#include <cstdint>

namespace xsp {

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
