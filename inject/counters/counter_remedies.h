#pragma once

#include <string_view>

#include "inject/counters/range_abi.h"

namespace xsp::guest {

/// Why a result of CUPTI's profiler comes, and what helps; empty: the number says nothing to a user.
std::string_view counter_remedy(cupti::Result result);

/// Which of its conditions a device does not meet, as cuptiProfilerDeviceSupported tells: "the device is older than
/// Volta"; empty: it can count.
std::string_view counter_obstacle(const cupti::ProfilerDeviceSupported& support);

}  // namespace xsp::guest
