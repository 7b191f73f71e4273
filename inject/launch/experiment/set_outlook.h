#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/launch/experiment/planned_run.h"
#include "inject/launch/experiment/twin_check.h"
#include "inject/launch/run/collector_status.h"

namespace xsp::launch {

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
    std::string problem;             ///< not empty: it makes no sense to go on
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
