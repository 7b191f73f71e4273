#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/launch/experiment/planned_run.h"

namespace xsp::launch {

/// Runs that should be the same, held against each other: the first of its level set and those that repeat it.
class TwinCheck {
 public:
  /// What is odd about a run that has just ended, one line each; empty: nothing. An oddity of a kind is told once.
  std::vector<std::string> look_at(const PlannedRun& run, uint32_t index, double seconds, uint64_t spans);

 private:
  struct Seen {
    PlannedRun run;
    uint32_t index;
    double seconds;
    uint64_t spans;
  };
  std::vector<Seen> firsts_;
  bool told_time_ = false;
  bool told_spans_ = false;
};

}  // namespace xsp::launch
