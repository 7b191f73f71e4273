#include "analysis/waves/slot_use.h"

#include <algorithm>
#include <limits>

namespace xsp::analysis {
namespace {

constexpr auto kRegisterPlace = static_cast<size_t>(SlotResource::kRegisters);

uint32_t fitting(const SlotAmounts& needed, const SlotAmounts& capacity) {
  uint32_t blocks = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < kSlotResources; ++i) {
    if (needed[i] != 0) blocks = std::min(blocks, capacity[i] / needed[i]);
  }
  return blocks;
}

}  // namespace

const char* name_of(SlotResource resource) {
  static constexpr std::array<const char*, kSlotResources> kNames = {"warps", "registers", "shared memory",
                                                                     "block slots"};
  return kNames[static_cast<size_t>(resource)];
}

PackedDevice packed_device(const MultiprocessorLimits& limits, uint32_t multiprocessors, double bytes_per_second) {
  const uint64_t shared = std::min<uint64_t>(limits.shared_bytes, std::numeric_limits<uint32_t>::max());
  return {multiprocessors,
          {limits.warps, limits.registers, static_cast<uint32_t>(shared), limits.blocks},
          bytes_per_second};
}

LaunchNeeds launch_needs(const Occupancy& occupancy, uint64_t blocks, uint32_t device) {
  if (occupancy.blocks_per_sm == 0 || blocks == 0) return {device, blocks, 0, {}};
  return {
      device,
      blocks,
      occupancy.blocks_per_sm,
      {occupancy.warps_per_block, occupancy.registers_per_block, static_cast<uint32_t>(occupancy.shared_per_block), 1}};
}

uint64_t rounds_of(const LaunchNeeds& needs, const PackedDevice& device) {
  const uint64_t wave = uint64_t{needs.blocks_per_sm} * device.multiprocessors;
  return wave == 0 || needs.blocks == 0 ? 1 : (needs.blocks - 1) / wave + 1;
}

std::array<double, kSlotResources> slot_use(const LaunchNeeds& needs, const PackedDevice& device) {
  std::array<double, kSlotResources> use = {};
  if (needs.blocks_per_sm == 0 || device.multiprocessors == 0) return use;
  const double blocks = static_cast<double>(needs.blocks) / static_cast<double>(rounds_of(needs, device)) /
                        device.multiprocessors;  // on each multiprocessor, on average
  for (size_t i = 0; i < kSlotResources; ++i) {
    if (device.capacity[i] != 0) use[i] = blocks * needs.of_block[i] / device.capacity[i];
  }
  return use;
}

SlotAmounts held_by_block(const LaunchNeeds& needs, const PackedDevice& device) {
  if (needs.blocks_per_sm == 0) return device.capacity;
  SlotAmounts held = needs.of_block;
  const uint32_t too_many = needs.blocks_per_sm + 1;
  if (fitting(held, device.capacity) < too_many) return held;
  for (const size_t place : {kRegisterPlace, static_cast<size_t>(SlotResource::kSharedMemory)}) {
    const uint32_t raised = device.capacity[place] / too_many + 1;
    if (raised > device.capacity[place] / needs.blocks_per_sm) continue;
    held[place] = std::max(held[place], raised);
    break;
  }
  return held;
}

}  // namespace xsp::analysis
