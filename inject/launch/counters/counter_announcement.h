#pragma once

#include <string>
#include <vector>

#include "inject/launch/options/options.h"

namespace xsp::launch {

/// What --metrics is going to do: metrics, passes, chip, and what stands in the way.
struct CounterAnnouncement {
  std::vector<std::string> lines;
  bool has_device = true;  ///< false: there is no driver or no device, so that there is nothing to count
};
CounterAnnouncement announce_counters(const Options& options);

}  // namespace xsp::launch
