#pragma once

#include <cstdint>

#include "inject/cupti/state/session.h"

namespace xsp::guest {

/// CUPTI's clock and CLOCK_MONOTONIC at one moment, which the collector's map of the former is made of.
struct DeviceClockReading {
  uint64_t ticks;
  uint64_t ns;
  uint64_t error_ns;  // what they may be apart
};

/// The closest of some attempts. False where CUPTI tells no time.
bool read_device_clock(const Session& session, DeviceClockReading* reading);

/// Puts it on its way, waiting for room. False where nobody sends any more.
bool post_device_clock(const DeviceClockReading& reading);

}  // namespace xsp::guest
