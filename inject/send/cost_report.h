#pragma once

#include "inject/record/process.h"
#include "inject/record/sample_rate.h"
#include "proto/trace_messages.h"

namespace xsp::guest {

/// Reads once a second what recording has cost so far and which model calls were sampled, writes both as packets, and
/// with XSP_SAMPLE=auto has the rate follow the cost. Used by the sender only.
class CostReport {
 public:
  explicit CostReport(Process& process);

  /// Writes what has changed; less than a second after the last time only if `last`.
  void write(WireWriter& writer, const ClockPair& clock, bool last);

 private:
  struct Cost {
    uint64_t wall_ns = 0;
    uint64_t hooks_ns = 0;
    uint64_t unsampled_ns = 0;
    uint64_t threads_ns = 0;
    uint64_t seen = 0;
    uint64_t recorded = 0;
  };

  void follow_cost(const Cost& cost);
  uint64_t busiest_since_last(double nanoseconds_per_tick);
  uint64_t busiest_calls_since_last();
  void tell_that_models_cost_too_much();

  Process& process_;
  SampleRate rate_;
  Cost before_;
  uint64_t busiest_ns_ = 0;
  uint64_t calls_ns_ = 0;
  uint64_t ticks_before_[shm::kMaxRings] = {};
  uint64_t seen_before_[shm::kMaxRings] = {};
  wire::Sampling sampling_sent_;
  bool has_told_ = false;
};

}  // namespace xsp::guest
