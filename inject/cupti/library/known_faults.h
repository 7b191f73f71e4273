#pragma once

#include <cstdint>

namespace xsp::guest {

/// Faults of CUPTI by its version, from NVIDIA's release notes of CUPTI and public reports (known_faults.cc names
/// them). The code that a fault affects works around it where that is possible. The user is told once, when the fault
/// can be at work, and with the version that fixes it.

enum class CuptiFault : uint32_t {
  kFromStart,         // whatever the program does
  kGraphIds,          // a graph's kernels name a wrong launch: it is left out
  kGraphIdsOfOthers,  // likewise in what a profiler in the program is told after our session
  kZeroTimes,         // kernels without times after another profiler's session
  kConditionalNodes,  // kernels in a conditional node's body may be missing
};

/// Whether that version has a fault of this kind.
bool has_cupti_fault(uint32_t version, CuptiFault fault);

/// Tells the user if that version has the fault. Cheap once it was told.
void tell_cupti_fault(uint32_t version, CuptiFault fault);

}  // namespace xsp::guest
