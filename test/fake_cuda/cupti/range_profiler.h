#pragma once

/// Hardware counters as provided by CUPTI's Range Profiler and its profiler host (CUDA 12.6 and newer), in the .so.13
/// only. A kernel's count of a metric depends only on the names of both and the grid:
///
///     (sum of the metric's bytes % 101) * 1000000 + blocks of the grid * 1000 + sum of the kernel's bytes % 997
///
/// An image takes 256 ranges at most; ranges are numbered on and on. One context of a device can be enabled at a time.
/// FAKE_CUPTI_CHIP is the chip's name, GH100 by default. Words of FAKE_CUPTI:
///   no_permission, busy, confidential   cuptiRangeProfilerEnable returns 35, 26, 41
///   no_counters      cuptiProfilerDeviceSupported says that this virtual GPU has profiling disabled
///   lost_ranges=N    of each image that is decoded the last N ranges are dropped
///   mixed_ranges     CUPTI makes a range more than there were launches
///   one_configuration   a second SetConfig of an object fails

#include <cstdint>

#include "../driver/tool.h"

namespace fake {

/// A driver call begins on this thread: what it launches is in its context.
void note_context(void* context);

/// A kernel is being launched on this thread. 0, or 1 + its range.
uint32_t range_of_launch();

/// The kernel has run.
void fill_range(uint32_t range, const fake_execution& execution);

}  // namespace fake
