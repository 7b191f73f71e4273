#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace xsp::analysis {

/// What a multiprocessor of one compute capability can hold at a time. (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"; units of allocation from the occupancy calculator.)
struct MultiprocessorLimits {
  uint32_t capability = 0;             // 80 for 8.0
  uint32_t warps = 0;                  // resident
  uint32_t blocks = 0;                 // resident
  uint32_t registers = 0;              // 32-bit, of the whole multiprocessor
  uint64_t shared_bytes = 0;           // shared memory, all of it
  uint32_t reserved_shared_bytes = 0;  // of each block, by the system
  uint32_t shared_unit_bytes = 0;      // of allocation
  std::string_view source;
  uint32_t partitions = 4;  // that its registers are divided between; a warp has its own in one of them
};

/// All that are known, in order of capability.
std::span<const MultiprocessorLimits> multiprocessor_limits();

/// Null where the capability is not known.
const MultiprocessorLimits* find_limits(uint32_t capability);

}  // namespace xsp::analysis
