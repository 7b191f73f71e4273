#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/data_type.h"
#include "analysis/trace/trace.h"
#include "base/status.h"

namespace xsp::analysis {

/// --gpu, --peak-flops and --mem-bw.
struct PeakOptions {
  std::string gpu;                                            // "V100", "H100 SXM"; empty: as the trace says
  std::vector<std::pair<DataType, double>> flops_per_second;  // kUnknown: for all types
  std::optional<double> bytes_per_second;
};

/// A number and where it comes from.
struct Peak {
  double value = 0;  // per second; 0: not known
  std::string origin;
};

/// What a device can do at most: the roofs of A9, A14 and A15.
struct DevicePeaks {
  std::string device;  // its name
  std::array<Peak, kDataTypes> flops;
  Peak bandwidth;
  double l2_cache_bytes = 0;

  /// flops / bytes at which the roof of a type bends; NaN where one of them is not known.
  double ideal_intensity(DataType type) const;
};

/// In order of trust: what the user gave; the table's data-sheet value for the device's name; multiprocessors × clock ×
/// flops a clock of its compute capability (boost clock, so an upper bound), and memory clock × bus width.
DevicePeaks peaks_of(const Device& device, const PeakOptions& options);

/// An error with the known names when --gpu names no device of the table.
Status check_peak_options(const PeakOptions& options);

/// The peaks of what kernels ran on.
struct DeviceRoofs {
  std::vector<DevicePeaks> peaks;  // of the trace's devices; the last one of a GPU that the trace does not describe
  std::vector<uint32_t> of_queue;  // by Trace::queues: index in `peaks`

  const DevicePeaks& of(const Trace& trace, uint32_t execution) const {
    return peaks[of_queue[trace.executions.queue[execution]]];
  }
};

/// A queue's device is the one with its number in the same process, else in the same part of the input.
DeviceRoofs find_roofs(const Trace& trace, const PeakOptions& options);

}  // namespace xsp::analysis
