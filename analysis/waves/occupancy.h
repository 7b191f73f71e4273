#pragma once

#include <cstdint>
#include <optional>

#include "analysis/trace/launch_configuration.h"
#include "analysis/waves/multiprocessor_limits.h"

namespace xsp::analysis {

/// How a kernel was launched, as numbers.
struct LaunchShape {
  uint64_t blocks = 0;        // of the grid
  uint32_t threads = 0;       // of a block
  uint32_t registers = 0;     // of a thread
  uint64_t shared_bytes = 0;  // static and dynamic, of a block
  bool is_cluster = false;    // blocks that are placed together: not covered by the formulas
};

/// Nothing where the grid, the block, the registers or the shared memory is not told, or is no number.
std::optional<LaunchShape> launch_shape(const LaunchConfiguration& configuration);

/// What keeps more blocks from being resident.
enum class OccupancyLimit : uint8_t { kBlocks, kWarps, kRegisters, kSharedMemory };
const char* name_of(OccupancyLimit limit);

/// How many blocks of a launch a multiprocessor holds, and what that uses of it. Zero blocks: the kernel does not fit,
/// and its launch must have been recorded wrongly.
struct Occupancy {
  uint32_t warps_per_block = 0;
  uint32_t registers_per_block = 0;  // as allocated
  uint64_t shared_per_block = 0;     // as allocated, bytes
  uint32_t blocks_per_sm = 0;
  OccupancyLimit limited_by = OccupancyLimit::kBlocks;
  double limit_pct = 0;  // resident warps / warps of the multiprocessor
};
Occupancy occupancy_of(const LaunchShape& shape, const MultiprocessorLimits& limits);

/// How a grid fills the multiprocessors of a device, wave by wave.
struct Waves {
  double waves = 0;          // blocks / (multiprocessors · blocks per multiprocessor)
  double used_pct = 0;       // of the slots of all waves begun: waves / ⌈waves⌉
  double occupancy_pct = 0;  // estimated: warps that one wave, or the grid if it is smaller, has resident
};
/// Nothing where no block fits, the grid is empty, or the device has no multiprocessors.
std::optional<Waves> waves_of(const LaunchShape& shape, const Occupancy& occupancy, const MultiprocessorLimits& limits,
                              uint32_t multiprocessors);

}  // namespace xsp::analysis
