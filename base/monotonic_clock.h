#pragma once

#include <cstdint>

namespace xsp {

/// CLOCK_MONOTONIC in nanoseconds.
uint64_t monotonic_ns();
/// CLOCK_REALTIME - CLOCK_MONOTONIC in nanoseconds.
int64_t realtime_offset_ns();

}  // namespace xsp
