#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/launch/experiment/run_plan.h"
#include "inject/launch/run/collector_status.h"

namespace xsp::launch {

/// Compares runs that should be alike: the first of a level set and those that repeat it.
class TwinCheck {
 public:
  /// What is odd about a run that has just ended, one line each; empty: nothing. Each kind of oddity is told once.
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

/// What the runs that ended well show about those that follow.
class SetOutlook {
 public:
  struct Ended {
    const PlannedRun& run;
    uint32_t index;
    double seconds;
    const CollectorStatus& status;
    std::string trace;                 ///< path
    std::vector<std::string> written;  ///< files that every run writes over
  };
  struct Left {
    size_t runs;
    double seconds;      ///< expected
    std::string folder;  ///< where their traces go
  };
  struct Seen {
    std::vector<std::string> lines;  ///< for the user
    std::string problem;             ///< not empty: there is no point in going on
  };

  Seen look_at(const Ended& ended, const Left& left);

 private:
  void look_at_room(const Left& left, std::vector<std::string>* lines);

  TwinCheck twins_;
  bool saw_one_ = false;
  bool told_room_ = false;
  uint64_t largest_trace_ = 0;
};

}  // namespace xsp::launch
