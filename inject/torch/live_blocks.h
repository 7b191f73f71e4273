#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// The blocks that c10's CPU allocator has given out and not got back, and their sizes: the allocator gives a block's
/// size when it is made, not when it is freed. Open addressing in a window of four cache lines, without lock or growth.
/// Zeroed memory is an empty table; a forked child has a copy, as it has the blocks.
class LiveBlocks {
 public:
  /// One block. A table has a power of two of entries, at least kWindow.
  struct Entry {
    std::atomic<const void*> block;
    std::atomic<uint64_t> bytes;
  };
  static constexpr size_t kWindow = 16;

  constexpr LiveBlocks() = default;
  /// `entries` zeroed ones, 64-byte aligned.
  constexpr LiveBlocks(Entry* entries, size_t count) : entries_(entries), mask_(count - 1) {}

  /// Enters a block that no other thread knows yet. False if its window is full.
  bool enter(const void* block, uint64_t bytes) const {
    Entry* window = window_of(block);
    for (size_t i = 0; i < kWindow; ++i) {
      const void* none = nullptr;
      if (window[i].block.load(std::memory_order_relaxed) != nullptr) continue;
      if (!window[i].block.compare_exchange_strong(none, block, std::memory_order_acquire)) continue;
      window[i].bytes.store(bytes, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

  /// Takes a block out before it is freed, and returns its size; 0 if it was never entered.
  uint64_t take(const void* block) const {
    Entry* window = window_of(block);
    for (size_t i = 0; i < kWindow; ++i) {
      if (window[i].block.load(std::memory_order_relaxed) != block) continue;
      const uint64_t bytes = window[i].bytes.load(std::memory_order_relaxed);
      window[i].block.store(nullptr, std::memory_order_release);
      return bytes;
    }
    return 0;
  }

 private:
  static constexpr size_t kPerLine = 64 / sizeof(Entry);

  /// The window of a block begins with a cache line, and never reaches past the table's end.
  Entry* window_of(const void* block) const {
    constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
    const uint64_t hash = (reinterpret_cast<uintptr_t>(block) >> 4) * kGolden >> 20;
    const size_t first = hash & mask_ & ~(kPerLine - 1);
    return entries_ + (first > mask_ + 1 - kWindow ? mask_ + 1 - kWindow : first);
  }

  Entry* entries_ = nullptr;
  size_t mask_ = 0;
};

}  // namespace xsp::guest
