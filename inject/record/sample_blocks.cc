#include "inject/record/sample_blocks.h"

#include "inject/record/hash.h"

namespace xsp::guest {

void SampleBlocks::start(uint32_t every, uint64_t seed) {
  seed_ = seed;
  change(every, 0);
}

void SampleBlocks::change(uint32_t every, uint64_t seen) {
  every_.store(every, std::memory_order_relaxed);
  first_.store(seen + 1, std::memory_order_relaxed);
  chosen_.store(0, std::memory_order_relaxed);  // in no block
  block_.store(seen + 1, std::memory_order_relaxed);
}

uint64_t SampleBlocks::choose(uint64_t number, uint32_t every) {
  const uint64_t block = number - (number - first_.load(std::memory_order_relaxed)) % every;
  constexpr uint64_t kAnyBits = 0xd6e8'feb8'6659'fd93;
  const uint64_t random = mix(mix(seed_, block), kAnyBits);
  const uint64_t chosen = block + static_cast<uint64_t>(static_cast<unsigned __int128>(random) * every >> 64);
  chosen_.store(chosen, std::memory_order_relaxed);
  block_.store(block, std::memory_order_relaxed);
  return chosen;
}

}  // namespace xsp::guest
