#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analysis/waves/occupancy.h"

namespace xsp::analysis {

/// What blocks of different kernels compete for on a multiprocessor.
enum class SlotResource : uint8_t { kWarps, kRegisters, kSharedMemory, kBlocks };
inline constexpr size_t kSlotResources = 4;
/// "warps", "registers", "shared memory", "block slots".
const char* name_of(SlotResource resource);

/// An amount of each resource, by SlotResource; shared memory in bytes.
using SlotAmounts = std::array<uint32_t, kSlotResources>;

/// The multiprocessors of a device, all alike.
struct PackedDevice {
  uint32_t multiprocessors = 0;
  SlotAmounts capacity = {};    // of one
  double bytes_per_second = 0;  // of its memory; 0: not known
};
PackedDevice packed_device(const MultiprocessorLimits& limits, uint32_t multiprocessors, double bytes_per_second);

/// What the kernels of one launch configuration need.
struct LaunchNeeds {
  uint32_t device = 0;  // index of CoSchedule::devices
  uint64_t blocks = 0;
  uint32_t blocks_per_sm = 0;  // 0: the needs are not known
  SlotAmounts of_block = {};
};
/// Of a launch that fits. `blocks`: of its grid.
LaunchNeeds launch_needs(const Occupancy& occupancy, uint64_t blocks, uint32_t device);

/// Rounds in which the blocks of a launch run one after another where it has the device for itself: ⌈waves⌉. At
/// least 1.
uint64_t rounds_of(const LaunchNeeds& needs, const PackedDevice& device);

/// The part of a device's resource that a launch uses on average while it runs: B·need/(S·⌈waves⌉·capacity). 0 where
/// the needs are not known.
std::array<double, kSlotResources> slot_use(const LaunchNeeds& needs, const PackedDevice& device);

/// `of_block`, raised so that no more than `blocks_per_sm` blocks fit: registers are given out by quarters of a
/// multiprocessor, which their sum does not tell. Of unknown needs all that a multiprocessor has.
SlotAmounts held_by_block(const LaunchNeeds& needs, const PackedDevice& device);

}  // namespace xsp::analysis
