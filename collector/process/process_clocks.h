#pragma once

#include <algorithm>
#include <cstdint>

#include "collector/clocks/clock_map.h"
#include "collector/clocks/cupti_clock.h"
#include "collector/process/process_context.h"

namespace xsp {

/// The clocks of a process, its own and CUPTI's: takes readings of them and converts times to nanoseconds of
/// CLOCK_MONOTONIC. Used by one thread.
class ProcessClocks {
 public:
  /// `context` is not owned and must outlive this object.
  explicit ProcessClocks(ProcessContext& context) : context_(context), cupti_(context.hello.start_ns) {}

  /// Takes a Clock. Throws protozero::exception on broken protobuf.
  void receive(protozero::data_view bytes);
  /// If the packets received give no rate, uses the readings in shared memory, and if there is only one, the rate that
  /// the collector itself has measured.
  void complete();
  bool has_rate() const { return map_.has_rate(); }

  /// Converts a time of `clock`, which is the process's own or CLOCK_MONOTONIC.
  uint64_t to_ns(uint32_t clock, uint64_t time) const {
    return clock == static_cast<uint32_t>(TraceClock::kMonotonicNs) ? time : map_.to_ns(time);
  }
  /// Converts begin and end; the end never precedes the begin.
  void convert(uint32_t clock, uint64_t& begin, uint64_t& end) const {
    begin = to_ns(clock, begin);
    end = std::max(begin, to_ns(clock, end));
  }

  const CuptiClock& cupti() const { return cupti_; }
  /// For a process that was killed before the first reading of CUPTI's clock arrived: picks the clock that the given
  /// time fits.
  void guess_cupti(uint64_t ticks);
  bool cupti_is_guessed() const { return cupti_is_guessed_; }

  /// Writes the latest readings.
  void write();

 private:
  void add_cupti_reading(uint64_t ticks, uint64_t ns, uint64_t error_ns);
  void write_clock(uint32_t clock, const ClockMap& map, uint64_t error_ns);

  ProcessContext& context_;
  ClockMap map_;
  CuptiClock cupti_;
  bool cupti_is_guessed_ = false;
};

}  // namespace xsp
