#pragma once

#include <cstdint>
#include <string_view>

#include "inject/counters/counter_host.h"
#include "inject/counters/range_abi.h"

namespace xsp::guest {

/// What the user is told of counters. `device`: the driver's number.

void tell_counters_begin(uint32_t device, const char* chip, const CounterHost& host, std::string_view left_out);

/// "no hardware counters on device 0: cuptiRangeProfilerEnable failed with ... (35): ...; analytic numbers are used"
void tell_no_counters(uint32_t device, std::string_view what, cupti::Result result, const char* result_text);

/// In the whole process.
void tell_no_counters(std::string_view why);

/// A kernel is not counted, as it may wait for others; empty: one of a graph. Once per process.
void tell_left_out(std::string_view kernel);

/// A launch that is counted has not returned for so long that it may wait for another one.
void tell_stuck(uint32_t device, std::string_view kernel, uint64_t seconds);

/// Once for each device.
void tell_mixed_ranges(uint32_t device, uint64_t ranges, uint64_t launches);

}  // namespace xsp::guest
