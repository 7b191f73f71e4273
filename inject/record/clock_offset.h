#pragma once

#include <cstdint>

namespace xsp::guest {

/// Readings of two clocks at the same instant.
struct ReadTogether {
  uint64_t outer;
  uint64_t inner;
};

/// The tightest of a few attempts: `inner` read between two readings of `outer`. A thread that loses the processor
/// between two readings would shift one clock against the other, by milliseconds; the attempt that took least time had
/// no such break.
template <typename Outer, typename Inner>
ReadTogether read_together(Outer&& outer, Inner&& inner) {
  ReadTogether best{};
  uint64_t narrowest = UINT64_MAX;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const uint64_t before = outer();
    const uint64_t between = inner();
    const uint64_t after = outer();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {.outer = before + (after - before) / 2, .inner = between};
  }
  return best;
}

/// CLOCK_REALTIME - CLOCK_MONOTONIC in nanoseconds.
int64_t read_realtime_offset();

}  // namespace xsp::guest
