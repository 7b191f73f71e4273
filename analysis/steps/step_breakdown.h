#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/steps/device_order.h"
#include "analysis/steps/host_waits.h"
#include "analysis/steps/step_windows.h"
#include "analysis/timeline/executions.h"

namespace xsp::analysis {

/// Times in which nothing runs on a device that a process uses.
struct DeviceGaps {
  uint32_t process = 0;
  TimeIntervals gaps;
};

/// Where the time of steps goes: lengths in ns over their united windows, added up over the devices on which they ran
/// something. Kernels count whoever launched them and whichever step they are of, those without a launch too. Each
/// length is of a union, so that nothing counts twice.
struct StepBreakdown {
  size_t evaluations = 0;
  size_t devices = 0;
  int64_t windows_ns = 0;         // of the host, once
  int64_t device_windows_ns = 0;  // for each device once: what the rest are parts of

  int64_t busy_ns = 0;       // any kernel runs
  int64_t unowned_ns = 0;    // kernels run that belong to no evaluation
  int64_t copy_only_ns = 0;  // copies run, and no kernel does

  // Of the time in which no kernel runs, by what the host does: each part belongs to the first of these that holds.
  int64_t idle_input_ns = 0;                 // it waits for input
  int64_t idle_synchronisation_ns = 0;       // it waits for the device
  int64_t idle_synchronisation_copy_ns = 0;  // part of idle_synchronisation_ns: copies or memsets run
  int64_t idle_copy_ns = 0;                  // copies or memsets run, and the next kernel is launched already
  int64_t idle_host_ns = 0;                  // it does something else, and has not launched the next kernel
  int64_t long_idle_host_ns = 0;             // part of idle_host_ns: in gaps that are long for a step
  int64_t launch_idle_ns = 0;                // part of idle_host_ns: in the launch of the kernel that ends the gap

  /// Those long gaps, without the waiting in them.
  std::vector<DeviceGaps> long_gaps;

  size_t kernels = 0;  // that begin in the windows
  int64_t kernel_ns = 0;

  // By evaluation, of its own kernels that move data between ranks: how long they run, and how long no other kernel
  // does, whoever launched it. Without evaluations one value, of all.
  std::vector<double> communication_ns;
  std::vector<double> exposed_communication_ns;

  // Of a recording without evaluations: all of it, and what its windows leave out (find_start_up).
  int64_t recorded_ns = 0;
  int64_t start_up_ns = 0;

  // Of the host, by evaluation.
  std::vector<double> input_ns;               // waiting for input
  std::vector<double> host_communication_ns;  // threads exchange data with other ranks (HostWaits)
  std::vector<double> synchronisation_ns;     // waiting for the device, and not for input

  /// Kernels that are known by their counters alone have no duration, and say nothing of how busy a device is.
  bool has_devices() const { return device_windows_ns > 0 && (kernels == 0 || kernel_ns > 0); }
  int64_t idle_ns() const { return device_windows_ns - busy_ns; }
  double share(int64_t device_ns) const {
    return device_windows_ns > 0 ? static_cast<double>(device_ns) / static_cast<double>(device_windows_ns) : 0;
  }
};

/// Gaps are long from a fiftieth of a step on, but never below kLeastLongGapNs, and always from kLongGapNs on: no
/// launch takes that long.
inline constexpr int64_t kLeastLongGapNs = 100'000;
inline constexpr int64_t kLongGapNs = 1'000'000;

/// `windows`: of each run of a group. Devices are those on which their evaluations executed something, where there are
/// no evaluations, or these executed nothing, all that the process ran something on.
StepBreakdown break_down_steps(const Trace& trace, const Executions& executions, const DeviceOrder& order,
                               const HostWaits& waits, const std::vector<StepWindows>& windows);

}  // namespace xsp::analysis
