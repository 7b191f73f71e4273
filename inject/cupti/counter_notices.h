#pragma once

#include <cstdint>
#include <string_view>

#include "inject/cupti/counter_host.h"
#include "inject/cupti/range_abi.h"

namespace xsp::guest {

/// Why a result of CUPTI's profiler comes, and what helps; empty: the number says nothing to a user. Also xsp-run's.
std::string_view counter_remedy(cupti::Result result);

/// Which of its conditions a device does not meet, as cuptiProfilerDeviceSupported tells: "the device is older than
/// Volta"; empty: it can count. Also xsp-run's.
std::string_view counter_obstacle(const cupti::ProfilerDeviceSupported& support);

/// What the user is told of counters. `device`: the driver's number.

void tell_counters_begin(uint32_t device, const char* chip, const CounterHost& host, std::string_view left_out);

/// "no hardware counters on device 0: cuptiRangeProfilerEnable failed with ... (35): ...; analytic numbers are used"
void tell_no_counters(uint32_t device, std::string_view what, cupti::Result result, const char* result_text);

/// Of the whole process.
void tell_no_counters(std::string_view why);

/// A kernel may wait for others and is not counted; empty: one of a graph. Once a process.
void tell_left_out(std::string_view kernel);

/// A launch that is counted has not returned for so long that it may wait for another one.
void tell_stuck(uint32_t device, std::string_view kernel, uint64_t seconds);

/// Each once for a device.
void tell_mixed_ranges(uint32_t device, uint64_t ranges, uint64_t launches);

}  // namespace xsp::guest
