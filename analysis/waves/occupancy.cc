#include "analysis/waves/occupancy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace xsp::analysis {
namespace {

constexpr uint32_t kWarp = 32;            // threads
constexpr uint32_t kRegisterUnit = 256;   // of allocation, for a warp
constexpr uint32_t kMostThreads = 1024;   // of a block
constexpr uint32_t kMostRegisters = 256;  // of a thread
constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

std::optional<uint64_t> read_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Of "[80,4,1]"; nothing where a dimension is no number or the product is more than `most`.
std::optional<uint64_t> read_product(std::string_view text, uint64_t most) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  uint64_t product = 1;
  while (true) {
    const size_t comma = text.find(',');
    const std::optional<uint64_t> value = read_number(text.substr(0, comma));
    if (!value) return std::nullopt;
    if (*value != 0 && product > most / *value) return std::nullopt;
    product *= *value;
    if (comma == std::string_view::npos) return product;
    text.remove_prefix(comma + 1);
  }
}

std::optional<uint64_t> read_shared_bytes(const LaunchConfiguration& configuration) {
  if (!configuration.shared.empty()) return read_number(configuration.shared);
  const std::optional<uint64_t> fixed = read_number(configuration.static_shared);
  const std::optional<uint64_t> dynamic = read_number(configuration.dynamic_shared);
  if (!fixed || !dynamic || *fixed > kNoLimit - *dynamic) return std::nullopt;
  return *fixed + *dynamic;
}

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::optional<LaunchShape> launch_shape(const LaunchConfiguration& configuration) {
  constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
  const auto blocks = read_product(configuration.grid, kNoLimit);
  const auto threads = read_product(configuration.block, kMost32);
  const auto registers = read_number(configuration.registers);
  const auto shared = read_shared_bytes(configuration);
  if (!blocks || !threads || !registers || !shared || *registers > kMost32) return std::nullopt;
  // Zeros are what tools write of a launch without clusters. What cannot be read is no such launch.
  const bool is_cluster =
      !configuration.cluster.empty() && read_product(configuration.cluster, kMost32).value_or(kMost32) > 1;
  return LaunchShape{.blocks = *blocks,
                     .threads = static_cast<uint32_t>(*threads),
                     .registers = static_cast<uint32_t>(*registers),
                     .shared_bytes = *shared,
                     .is_cluster = is_cluster};
}

const char* name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::kBlocks:
      return "blocks";
    case OccupancyLimit::kWarps:
      return "warps";
    case OccupancyLimit::kRegisters:
      return "registers";
    case OccupancyLimit::kSharedMemory:
      return "shared memory";
  }
  return "";
}

Occupancy occupancy_of(const LaunchShape& shape, const MultiprocessorLimits& limits) {
  Occupancy occupancy;
  if (shape.threads == 0 || shape.threads > kMostThreads) {
    occupancy.limited_by = OccupancyLimit::kWarps;
    return occupancy;
  }
  const uint32_t warps = (shape.threads + kWarp - 1) / kWarp;
  occupancy.warps_per_block = warps;
  if (shape.registers > kMostRegisters) {
    occupancy.limited_by = OccupancyLimit::kRegisters;
    return occupancy;
  }
  const auto of_warp = static_cast<uint32_t>(round_up(uint64_t{kWarp} * shape.registers, kRegisterUnit));
  occupancy.registers_per_block = of_warp * warps;
  if (shape.shared_bytes > limits.shared_bytes) {
    occupancy.limited_by = OccupancyLimit::kSharedMemory;
    return occupancy;
  }
  occupancy.shared_per_block = round_up(shape.shared_bytes + limits.reserved_shared_bytes, limits.shared_unit_bytes);

  uint64_t by_registers = kNoLimit;
  if (of_warp != 0) {
    const uint32_t resident = limits.partitions * (limits.registers / limits.partitions / of_warp);
    by_registers = resident / warps;
  }
  const uint64_t by_shared =
      occupancy.shared_per_block == 0 ? kNoLimit : limits.shared_bytes / occupancy.shared_per_block;
  // Of equal limits the first one is named, so that "warps" stands where the multiprocessor is full.
  uint64_t fewest = limits.warps / warps;
  occupancy.limited_by = OccupancyLimit::kWarps;
  const auto limit_by = [&](uint64_t blocks, OccupancyLimit limit) {
    if (blocks >= fewest) return;
    fewest = blocks;
    occupancy.limited_by = limit;
  };
  limit_by(limits.blocks, OccupancyLimit::kBlocks);
  limit_by(by_registers, OccupancyLimit::kRegisters);
  limit_by(by_shared, OccupancyLimit::kSharedMemory);
  occupancy.blocks_per_sm = static_cast<uint32_t>(fewest);
  occupancy.limit_pct = 100.0 * static_cast<double>(fewest * warps) / limits.warps;
  return occupancy;
}

std::optional<Waves> waves_of(const LaunchShape& shape, const Occupancy& occupancy, const MultiprocessorLimits& limits,
                              uint32_t multiprocessors) {
  if (occupancy.blocks_per_sm == 0 || shape.blocks == 0 || multiprocessors == 0) return std::nullopt;
  const uint64_t slots = uint64_t{multiprocessors} * occupancy.blocks_per_sm;
  const auto blocks = static_cast<double>(shape.blocks);
  Waves waves;
  waves.waves = blocks / static_cast<double>(slots);
  const uint64_t begun = shape.blocks / slots + (shape.blocks % slots == 0 ? 0 : 1);
  waves.used_pct = 100 * waves.waves / static_cast<double>(begun);
  const double resident = std::min<double>(occupancy.blocks_per_sm, blocks / multiprocessors);
  waves.occupancy_pct = 100 * resident * occupancy.warps_per_block / limits.warps;
  return waves;
}

}  // namespace xsp::analysis
