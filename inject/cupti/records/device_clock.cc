#include "inject/cupti/records/device_clock.h"

#include <time.h>

#include "inject/guard/pause.h"
#include "inject/record/clock.h"
#include "inject/record/process.h"
#include "proto/packet_writer.h"

namespace xsp::guest {

bool read_device_clock(const Session& session, DeviceClockReading* reading) {
  constexpr int kAttempts = 5;
  uint64_t narrowest = UINT64_MAX;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    uint64_t ticks = 0;
    const uint64_t before = nanoseconds(CLOCK_MONOTONIC);
    if (session.cupti.get_timestamp(&ticks) != cupti::kSuccess) return false;
    const uint64_t width = nanoseconds(CLOCK_MONOTONIC) - before;
    if (width >= narrowest) continue;
    narrowest = width;
    *reading = {ticks, before + width / 2, width / 2};
  }
  return true;
}

bool post_device_clock(const DeviceClockReading& reading) {
  uint8_t bytes[64];
  WireWriter writer(bytes, sizeof bytes);
  write_packet(writer, wire::ClockReading{.clock = static_cast<uint32_t>(wire::Clock::kCupti),
                                          .ticks = reading.ticks,
                                          .monotonic_ns = reading.ns,
                                          .error_ns = reading.error_ns});
  while (!post_packet(writer.data(), writer.size())) {
    Process* process = awake_process();
    if (process == nullptr || process->sender_running.load(std::memory_order_relaxed) == 0) return false;
    pause_for(1'000'000);
  }
  return true;
}

}  // namespace xsp::guest
