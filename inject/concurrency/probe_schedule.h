#pragma once

#include <cstdint>

#include "inject/concurrency/running_statistics.h"

namespace xsp::guest {

/// What is known of a layer with two neighbouring numbers of threads. All zeros: nothing.
struct LayerCurve {
  RunningStatistics before;  // with the smaller number
  RunningStatistics here;
  double open_ticks;  // in the call that runs
  bool has_stopped;   // its time rises from one number to the next: its best is known
};

struct ProbeOptions {
  uint32_t cores;     // at least 1: no probe has more threads
  uint32_t interval;  // 0: a sixteenth of the cores
  uint32_t own;       // the program's number, which takes turns with the probes
  bool validate;      // every number is a probe, and no layer stops
  double stage_time;  // a stage that has taken less goes on to kMostCallsOfAProbe calls
};

/// With how many threads the calls of a model are computed, one after the other, to measure its layers' curves (section
/// III-C of Liu et al., IPDPS 2019). Probes are 1, 1 + x, 1 + 2x, … up to the cores. A stage compares two neighbours,
/// which take turns with the program's own number, so that what drifts meanwhile meets all of them. It ends when the
/// larger number has kCallsOfAProbe calls after a first one, the warm-up; where calls are short it goes on, for single
/// ones of them say little. The next stage begins unless every layer has stopped. Layers that take little of the
/// model's time are not waited for.
///
/// Plain data, zeroed before begin(); the caller owns the memory of the curves, zeroed too. Curve 0 is that of the
/// model itself. Times are in any unit.
class ProbeSchedule {
 public:
  static constexpr uint32_t kCallsOfAProbe = 5;
  static constexpr uint32_t kMostCallsOfAProbe = 30;
  /// Layers below this share of the model's time are not waited for.
  static constexpr double kLeastShare = 0.005;

  /// `capacity` at least 1; further layers are left out.
  void begin(const ProbeOptions& options, LayerCurve* curves, uint32_t capacity);

  bool has_begun() const { return curves_ != nullptr; }
  bool is_done() const { return is_done_; }

  /// The number of threads of the call that begins; the program's own once it is done.
  uint32_t next() const { return is_done_ ? options_.own : turn_of(turn_); }

  /// The number of a layer that has none yet; 0 if there is no room for it.
  uint32_t add_layer() { return curve_count_ < capacity_ ? curve_count_++ : 0; }

  /// A layer has ended inside the call: a layer may be called several times.
  void add_time(uint32_t layer, double time) {
    if (layer < curve_count_) curves_[layer].open_ticks += time;
  }

  /// The call that next() was asked for has ended. Times of a call that does not count, because it failed, are
  /// forgotten and its turn is taken again.
  void finish_call(double time, bool counts);

  /// Numbers of threads that were probed so far, ascending: 1, 1 + x, …
  uint32_t probe(uint32_t index) const;
  uint32_t probe_count() const { return stage_ + 1; }

 private:
  uint32_t turns() const;
  uint32_t turn_of(uint32_t turn) const;
  void finish_stage();
  void take(double time, bool counts);

  ProbeOptions options_;
  LayerCurve* curves_;
  uint32_t capacity_;
  uint32_t curve_count_;
  uint32_t stage_;       // compares probe(stage_ - 1) with probe(stage_), from 1; 0 with one core
  uint32_t turn_;        // within the round
  uint32_t calls_here_;  // of the stage, with the larger number, the warm-up counted
  double elapsed_;       // of the stage, in calls
  bool is_done_;
};

}  // namespace xsp::guest
