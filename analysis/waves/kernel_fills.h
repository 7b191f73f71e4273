#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/timeline/joined_kernels.h"
#include "analysis/trace/trace.h"
#include "analysis/waves/multiprocessor_limits.h"
#include "analysis/waves/occupancy.h"
#include "analysis/work/device_peaks.h"

namespace xsp::analysis {

/// What a device has for blocks.
struct DeviceSlots {
  const MultiprocessorLimits* limits = nullptr;  // null: its compute capability is not known
  uint32_t multiprocessors = 0;                  // 0: not known

  bool known() const { return limits != nullptr && multiprocessors != 0; }
};

/// As the trace tells; what it does not tell as listed for the device's name. A MIG instance has the multiprocessors
/// that the trace tells, or it is not known. GPUs of other makers are not known.
DeviceSlots slots_of(const Device& device);

/// Why nothing is known of how a kernel fills its device.
enum class FillProblem : uint8_t {
  kNone,
  kConfiguration,  // grid, block, registers or shared memory are not told, or differ between calls
  kDevice,         // compute capability or multiprocessors are not told, or not listed
  kCluster,        // its blocks are placed in clusters
  kTooLarge,       // one block exceeds a multiprocessor: the launch is recorded wrongly
};

/// How the blocks of a kernel fill its device.
struct KernelFill {
  FillProblem problem = FillProblem::kConfiguration;
  bool has_shape = false;
  LaunchShape shape;    // where has_shape
  DeviceSlots device;   // as far as known
  Occupancy occupancy;  // from here on: only without a problem
  Waves waves;
};

/// Finds them for kernels of a trace. A configuration is read once for each device.
class KernelFills {
 public:
  /// `gpu`: what --gpu says, of devices that the trace does not describe. The trace and the roofs must outlive this.
  KernelFills(const Trace& trace, const DeviceRoofs& roofs, std::string_view gpu = {});

  /// Valid as long as this object.
  const KernelFill& of(const JoinedKernel& kernel);

 private:
  KernelFill fill_of(uint32_t configuration, const DeviceSlots& device) const;

  const Trace& trace_;
  const DeviceRoofs& roofs_;
  std::vector<DeviceSlots> devices_;                // by number in DeviceRoofs::peaks
  std::unordered_map<uint64_t, KernelFill> known_;  // by configuration and device; nodes stay where they are
};

}  // namespace xsp::analysis
