#include "analysis/waves/multiprocessor_limits.h"

#include <algorithm>
#include <array>

namespace xsp::analysis {
namespace {

constexpr uint32_t kRegistersOfEach = 64 * 1024;
constexpr uint64_t kKibi = 1024;

/// Where warps, blocks and shared memory are from. Units of allocation, reserved memory and partitions are those of
/// cuda_occupancy.h of CUDA 13.0.
constexpr std::string_view kTraits = "NVIDIA CCCL, cuda/__device/arch_traits.h";
constexpr std::string_view kGuide = "CUDA C++ Programming Guide 12.9, Technical Specifications per Compute Capability";

/// Up to 7.5 the system takes no shared memory of a block, and allocates in units of 256 bytes; from 8.0 on it takes
/// 1 KiB of each, and the unit is 128.
constexpr MultiprocessorLimits limits_of(uint32_t capability, uint32_t warps, uint32_t blocks, uint64_t shared_kib,
                                         std::string_view source, uint32_t partitions = 4) {
  const bool reserves = capability >= 80;
  return {.capability = capability,
          .warps = warps,
          .blocks = blocks,
          .registers = kRegistersOfEach,
          .shared_bytes = shared_kib * kKibi,
          .reserved_shared_bytes = reserves ? 1024u : 0u,
          .shared_unit_bytes = reserves ? 128u : 256u,
          .source = source,
          .partitions = partitions};
}

constexpr std::array kLimits = {
    limits_of(50, 64, 32, 64, kTraits),    limits_of(52, 64, 32, 96, kTraits),   limits_of(53, 64, 32, 64, kTraits),
    limits_of(60, 64, 32, 64, kTraits, 2), limits_of(61, 64, 32, 96, kTraits),   limits_of(62, 64, 32, 64, kTraits),
    limits_of(70, 64, 32, 96, kTraits),    limits_of(72, 64, 32, 96, kGuide),    limits_of(75, 32, 16, 64, kTraits),
    limits_of(80, 64, 32, 164, kTraits),   limits_of(86, 48, 16, 100, kTraits),  limits_of(87, 48, 16, 164, kTraits),
    limits_of(88, 48, 16, 100, kTraits),   limits_of(89, 48, 24, 100, kTraits),  limits_of(90, 64, 32, 228, kTraits),
    limits_of(100, 64, 32, 228, kTraits),  limits_of(101, 48, 24, 228, kGuide),  limits_of(103, 64, 32, 228, kTraits),
    limits_of(107, 32, 16, 228, kTraits),  limits_of(110, 48, 24, 228, kTraits), limits_of(120, 48, 24, 100, kTraits),
    limits_of(121, 48, 24, 100, kTraits),
};
static_assert(std::is_sorted(kLimits.begin(), kLimits.end(),
                             [](const auto& a, const auto& b) { return a.capability < b.capability; }));

}  // namespace

std::span<const MultiprocessorLimits> multiprocessor_limits() { return kLimits; }

const MultiprocessorLimits* find_limits(uint32_t capability) {
  const auto found =
      std::lower_bound(kLimits.begin(), kLimits.end(), capability,
                       [](const MultiprocessorLimits& limits, uint32_t value) { return limits.capability < value; });
  return found == kLimits.end() || found->capability != capability ? nullptr : &*found;
}

}  // namespace xsp::analysis
