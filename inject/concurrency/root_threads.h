#pragma once

#include <cstdint>

#include "inject/concurrency/block_schedule.h"
#include "inject/concurrency/probe_schedule.h"

namespace xsp::guest {

/// What is measured, or advised, of one outermost module.
struct RootThreads {
  uint32_t instance;  // 0: free
  uint32_t schedule;  // of all schedules of the process, from 1
  uint64_t calls;
  uint64_t ticks;  // of its calls
  bool has_ended;
  ProbeSchedule probes;
  BlockSchedule blocks;
  LayerCurve* curves;  // mapped at its first probe, and kept
};

/// A program may have many outermost modules, or make one for each step, such as a loss function. Those that take the
/// most time are kept. Used by one thread at a time.
class RootTable {
 public:
  static constexpr uint32_t kMostRoots = 8;
  static constexpr uint32_t kMostCurves = 4096;

  RootThreads& find(uint32_t instance);
  /// The one whose calls took most time.
  const RootThreads& heaviest() const;
  /// Begins its schedule; false if there is no memory for it.
  bool begin_probes(RootThreads& root, const ProbeOptions& options);

 private:
  RootThreads roots_[kMostRoots];
  uint32_t schedules_;
};

}  // namespace xsp::guest
