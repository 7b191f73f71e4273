#pragma once

#include <string_view>

#include "inject/counters/range_abi.h"

namespace xsp::guest {

/// Why CUPTI's profiler returns a result, and what helps; empty if there is nothing to say beyond the number.
std::string_view counter_remedy(cupti::Result result);

/// Which condition for counting a device does not meet, according to cuptiProfilerDeviceSupported: "the device is older
/// than Volta"; empty: it can count.
std::string_view counter_obstacle(const cupti::ProfilerDeviceSupported& support);

}  // namespace xsp::guest
