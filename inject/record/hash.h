#pragma once

#include <cstdint>

namespace xsp::guest {

/// A hash with one more word in it: the halves of a product, one over the other.
inline uint64_t mix(uint64_t hash, uint64_t word) {
  const auto product = static_cast<unsigned __int128>(hash ^ word) * 0x9e37'79b9'7f4a'7c15;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace xsp::guest
