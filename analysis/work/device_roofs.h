#pragma once

#include <cstdint>
#include <vector>

#include "analysis/trace/trace.h"
#include "analysis/work/device_peaks.h"

namespace xsp::analysis {

/// The peaks of what kernels ran on.
struct DeviceRoofs {
  std::vector<DevicePeaks> peaks;  // of the trace's devices; the last one of a device that the trace does not describe
  std::vector<uint32_t> of_queue;  // by Trace::queues: index in `peaks`

  const DevicePeaks& of(const Trace& trace, uint32_t execution) const {
    return peaks[of_queue[trace.executions.queue[execution]]];
  }
};

/// A queue's device is that with its number of the same process, else of the same part of the input.
DeviceRoofs find_roofs(const Trace& trace, const PeakOptions& options);

}  // namespace xsp::analysis
