#pragma once

#include <cstdint>

#include "inject/concurrency/thread_functions.h"
#include "proto/trace_messages.h"

namespace xsp::guest {

inline constexpr uint32_t kMostSwitches = 48;

/// Measures what it costs that a parallel region has another number of threads than the one before: between `own` and
/// each of the other numbers, both ways, then between neighbours. Of empty regions, each change a few times. Takes
/// 0.3 s at most, within which as many changes as possible are measured. Returns how many.
uint32_t measure_switches(const ThreadFunctions& functions, uint32_t own, const uint32_t* others, uint32_t count,
                          wire::ThreadSwitch (&changes)[kMostSwitches]);

}  // namespace xsp::guest
