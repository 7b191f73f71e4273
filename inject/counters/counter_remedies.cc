#include "inject/counters/counter_remedies.h"

namespace xsp::guest {

std::string_view counter_remedy(cupti::Result result) {
  switch (result) {
    case cupti::kInsufficientPrivileges:
      return "the driver lets administrators only read counters: run as root or with CAP_SYS_ADMIN, or have the module "
             "option NVreg_RestrictProfilingToAdminUsers=0 set (then /proc/driver/nvidia/params says "
             "RmProfilingAdminOnly: 0)";
    case cupti::kHardwareBusy:
      return "another tool has the counters: ncu, nsys with GPU metrics, or DCGM (dcgmi profpause)";
    case cupti::kVirtualizedNotSupported:
    case cupti::kVirtualizedDevice:
      return "a virtual GPU without profiling: the hypervisor's administrator can enable it";
    case cupti::kConfidentialComputing:
      return "there are no counters in confidential computing";
    case cupti::kNotSupported:
      return "this device or its configuration (MIG, MPS) has none for CUPTI's Range Profiler";
    case cupti::kNotInitialized:
      return "the libcupti may not fit the driver: name another one in XSP_CUPTI, or update the driver";
    default:
      return {};
  }
}

std::string_view counter_obstacle(const cupti::ProfilerDeviceSupported& support) {
  if (support.supported == cupti::kSupported) return {};
  if (support.architecture == cupti::kUnsupported) return "the device is older than Volta";
  if (support.vgpu == cupti::kSupportDisabled) {
    return "profiling is disabled on this virtual GPU: the hypervisor's administrator can enable it";
  }
  if (support.vgpu == cupti::kUnsupported) return "a virtual GPU";
  if (support.confidential_compute == cupti::kUnsupported) return "confidential computing is enabled";
  if (support.sli == cupti::kUnsupported) return "SLI is enabled";
  if (support.cmp == cupti::kUnsupported) return "a mining processor (CMP)";
  if (support.wsl == cupti::kUnsupported) return "WSL";
  return "the device's configuration (MIG, MPS)";
}

}  // namespace xsp::guest
