#pragma once

#include <cstdint>
#include <vector>

namespace xsp {

/// Converts a process's clock (TSC ticks) to nanoseconds of CLOCK_MONOTONIC by one increasing, piecewise linear map, so
/// that spans that nest in ticks nest in nanoseconds.
///
/// A knot lies at each reading that the map misses by more than noise. The map goes through it without a jump, and the
/// slope after it is chosen so that the error found there is gone a second later. A clock that stepped forward by more
/// than a millisecond (a suspended or migrated machine) makes the map jump; one that stepped back makes it run at half
/// speed until the clock catches up. Times before the first reading continue its slope. Readings in any order and of
/// any value leave the map increasing.
class ClockMap {
 public:
  /// `nominal_ticks_per_ns` is used until readings lie far enough apart to give the rate; 0: unknown. An error of up to
  /// `noise_ns` is treated as noise of the reading and changes nothing, so that a clock that runs like CLOCK_MONOTONIC
  /// keeps its durations to the nanosecond.
  explicit ClockMap(double nominal_ticks_per_ns = 0, uint64_t noise_ns = 0);
  /// Sets the nominal rate later, if none is known yet.
  void set_nominal_rate(double ticks_per_ns);

  /// Takes a reading. A reading from before the last one, or one that implies an absurd rate, is ignored. Times already
  /// converted must not lie after it. `error_ns`: how far off it may be, which is noise too.
  void add_reading(uint64_t ticks, uint64_t ns, uint64_t error_ns = 0);

  /// Nanoseconds of CLOCK_MONOTONIC. Without any reading, `ticks` itself.
  uint64_t to_ns(uint64_t ticks) const;

  /// Whether this many nanoseconds per tick is plausible for a clock.
  static bool is_sane(double ns_per_tick);

  bool has_reading() const { return !knots_.empty(); }
  bool has_rate() const { return rate_ > 0; }
  /// Largest |predicted - read| of all readings.
  uint64_t error_ns() const { return error_ns_; }
  double ticks_per_ns() const { return rate_ > 0 ? 1 / rate_ : 0; }
  uint64_t last_ticks() const { return last_.ticks; }
  uint64_t last_ns() const { return last_.ns; }

 private:
  struct Reading {
    uint64_t ticks;
    uint64_t ns;
  };
  /// The map from `ticks` to the next knot.
  struct Knot {
    uint64_t ticks;
    uint64_t ns;
    double slope;  // ns per tick
  };

  void update_rate(const Reading& reading);
  void thin_out();

  std::vector<Knot> knots_;  // by ticks; the last may lie in the future, where a correction ends
  Reading last_{};
  Reading anchor_{};       // the rate is measured from here ...
  Reading next_anchor_{};  // ... and soon from here
  double rate_ = 0;        // ns per tick; 0: not known
  bool stepped_ = false;   // at the last reading
  uint64_t error_ns_ = 0;
  uint64_t noise_ns_;
};

}  // namespace xsp
