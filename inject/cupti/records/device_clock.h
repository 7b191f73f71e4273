#pragma once

#include <cstdint>

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// CUPTI's clock and CLOCK_MONOTONIC at one moment. The collector converts CUPTI's times by such readings.
struct DeviceClockReading {
  uint64_t ticks;
  uint64_t ns;
  uint64_t error_ns;  // how far apart they may be
};

/// Takes the closest of a few attempts. False if CUPTI returns no time.
bool read_device_clock(const Session& session, DeviceClockReading* reading);

/// Queues it for the sender, waiting for room. False when the sender no longer runs.
bool post_device_clock(const DeviceClockReading& reading);

}  // namespace xsp::guest
