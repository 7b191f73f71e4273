#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsp::launch {

/// What the driver and a libcupti say of counting on one device.
struct CountableDevice {
  std::string chip;
  uint32_t metrics = 0;
  uint32_t passes = 0;
  std::string problem;   ///< empty: it can
  std::string left_out;  ///< metrics that the chip does not have
};

/// `27 metrics in 3 passes a kernel on GH100`.
std::string passes_text(const CountableDevice& device);

struct CounterProbe {
  std::vector<CountableDevice> devices;
  std::string problem;     ///< why nothing can be said; empty: see the devices
  bool has_device = true;  ///< false: the driver says that there is none, or there is no driver
};

/// Asks in a child process, which is killed after 20 seconds, so that a crash or a hang inside CUPTI does no harm. No
/// CUDA context is made. `cupti`: the file.
CounterProbe probe_counters(const std::string& cupti, const std::string& metrics);

/// Whether there is a driver with a device. Asked in the same way; no answer counts as no device.
bool has_cuda_device();

/// Why the user may not read counters, judging by the driver module's option and this process's capabilities. Empty:
/// nothing is in the way, or nothing is known.
std::string counter_restriction();

}  // namespace xsp::launch
