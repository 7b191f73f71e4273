#pragma once

#include <cstdint>

namespace xsp::guest {

/// Faults of CUPTI by its version, from NVIDIA's release notes of CUPTI and public reports (known_faults.cc names
/// them). What can be done about one is done where it matters; the user is told, once, with the version that mends it,
/// when it can be at work.

enum class CuptiFault : uint32_t {
  kFromStart,         // whatever the program does
  kGraphIds,          // a graph's kernels name a wrong launch: it is left out
  kGraphIdsOfOthers,  // likewise in what a profiler in the program is told behind our session
  kZeroTimes,         // kernels without times behind another profiler's session
  kConditionalNodes,  // kernels in a conditional node's body may be missing
};

/// Whether that version has a fault that shows so.
bool has_cupti_fault(uint32_t version, CuptiFault fault);

/// Tells it where the version has it. Cheap when told.
void tell_cupti_fault(uint32_t version, CuptiFault fault);

}  // namespace xsp::guest
