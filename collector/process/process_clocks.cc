#include "collector/process/process_clocks.h"

#include <algorithm>

#include "base/monotonic_clock.h"
#include "collector/messages/guest_messages.h"
#include "proto/shared_memory.h"

namespace xsp {

void ProcessClocks::receive(protozero::data_view bytes) {
  const auto reading = read_message<wire::ClockReading>(bytes);
  if (reading.clock == static_cast<uint32_t>(TraceClock::kTsc) && reading.clock == context_.hello.clock) {
    map_.add_reading(reading.ticks, reading.monotonic_ns);
  }
  if (reading.clock == static_cast<uint32_t>(TraceClock::kCupti)) {
    add_cupti_reading(reading.ticks, reading.monotonic_ns, reading.error_ns);
  }
}

/// Only a reading's value shows which clock CUPTI uses: it is close to one of those we know.
void ProcessClocks::add_cupti_reading(uint64_t ticks, uint64_t ns, uint64_t error_ns) {
  constexpr uint64_t kNear = 1'000'000'000;
  const auto is_near = [](uint64_t a, uint64_t b) { return (a < b ? b - a : a - b) < kNear; };
  double nominal = 0;
  if (is_near(ticks, ns) || is_near(ticks, ns + static_cast<uint64_t>(realtime_offset_ns()))) {
    nominal = 1;
  } else if (map_.has_rate() && is_near(map_.to_ns(ticks), ns)) {
    nominal = map_.ticks_per_ns();
  }
  // A larger error cannot come from a reading.
  constexpr uint64_t kLargestErrorNs = 1'000'000;
  cupti_.add_reading(ticks, ns, nominal, std::min(error_ns, kLargestErrorNs));
}

/// For a process that was killed before the first reading of CUPTI's clock arrived: picks the clock that the given time
/// fits.
void ProcessClocks::guess_cupti(uint64_t ticks) {
  constexpr uint64_t kMonth = uint64_t{30} * 24 * 3600 * 1'000'000'000;
  const uint64_t now = monotonic_ns();
  const uint64_t realtime = now + static_cast<uint64_t>(realtime_offset_ns());
  cupti_is_guessed_ = true;
  const bool is_realtime = (ticks < realtime ? realtime - ticks : ticks - realtime) < kMonth;
  if (!is_realtime && map_.has_reading() && map_.has_rate()) {
    cupti_.add_reading(map_.last_ticks(), map_.last_ns(), map_.ticks_per_ns());
  } else {
    cupti_.add_reading(realtime, now, 1);
  }
}

/// If the packets received give no rate, uses the readings in shared memory, and if there is only one, the rate that
/// the collector itself has measured.
void ProcessClocks::complete() {
  shm::SharedHeader header{};
  for (int attempt = 0; context_.memory != nullptr && attempt < 16; ++attempt) {
    shm::SharedHeader after{};
    if (!context_.memory->read_header(&header) || !context_.memory->read_header(&after)) break;
    const uint32_t sequence = header.clock_sequence.load(std::memory_order_relaxed);
    // Odd, or changed in between: the sender was writing. A guest killed in the middle leaves it odd, hence the limit.
    if (sequence % 2 == 0 && after.clock_sequence.load(std::memory_order_relaxed) == sequence) break;
  }
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t ticks = header.clock_ticks[i].load(std::memory_order_relaxed);
    const uint64_t ns = header.clock_ns[i].load(std::memory_order_relaxed);
    if (ticks != 0 && ns != 0) map_.add_reading(ticks, ns);
  }
  map_.set_nominal_rate(context_.recording.tsc_rate.ticks_per_ns());
}

void ProcessClocks::write() {
  if (map_.has_reading()) write_clock(context_.hello.clock, map_, map_.error_ns());
  if (cupti_.has_reading()) {
    write_clock(static_cast<uint32_t>(TraceClock::kCupti), cupti_.map(), cupti_.error_ns());
  }
}

void ProcessClocks::write_clock(uint32_t clock, const ClockMap& map, uint64_t error_ns) {
  context_.writer.write(context_.number, wire::ClockReading{.clock = clock,
                                                            .ticks = map.last_ticks(),
                                                            .monotonic_ns = map.last_ns(),
                                                            .error_ns = error_ns,
                                                            .ticks_per_ns = map.ticks_per_ns()});
}

}  // namespace xsp
