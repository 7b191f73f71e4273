#pragma once

#include "inject/cupti/counting/counter_device.h"

namespace xsp::guest {

/// The ranges in which CUPTI counts the kernels of one context. Called by whoever has the device's turn, with the
/// context current on the thread.

/// Asks what the device is and whether it can count. False after a notice.
bool describe_counters(const CounterSetup& setup, CounterDevice& device, void* context);

/// Starts counting in a context, once the device is prepared. False after a notice, and nothing is enabled then.
bool open_ranges(const CounterSetup& setup, CounterDevice& device, void* context);

/// Takes the ranges since the start out of CUPTI, for the thread to evaluate, and starts again. The launch of a graph
/// may have any number of them.
void turn_over_ranges(const CounterSetup& setup, CounterDevice& device, bool of_graph);

/// Takes them out without starting again, before a launch that must not be counted; starts again afterwards.
void pause_ranges(const CounterSetup& setup, CounterDevice& device);
void resume_ranges(const CounterSetup& setup, CounterDevice& device);

/// The same, and stops counting in the context.
void close_ranges(const CounterSetup& setup, CounterDevice& device, bool disable);

}  // namespace xsp::guest
