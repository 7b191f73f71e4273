#pragma once

#include <atomic>
#include <cstdint>

namespace xsp::guest {

/// Chooses one call at random of each block of `every` calls, so that no period of the program falls into step with the
/// choice. Positions in different blocks are independent, and each is as likely as any other.
///
/// Which call of a block it is follows from the block's first number alone, so threads whose calls come out of order
/// agree without a lock, and each block has exactly one. Only at change() may calls that begin at the same moment be
/// judged by parts of both rates.
///
/// Usable once start() was called; lies in memory that is zero before.
class SampleBlocks {
 public:
  /// `every`: at least 1. `seed`: another one in each process.
  void start(uint32_t every, uint64_t seed);

  /// A new block begins behind the `seen` calls so far.
  void change(uint32_t every, uint64_t seen);

  uint32_t every() const { return every_.load(std::memory_order_relaxed); }

  /// `number`: of the call, counted from 1.
  bool is_chosen(uint64_t number) {
    const uint32_t every = every_.load(std::memory_order_relaxed);
    const uint64_t block = block_.load(std::memory_order_relaxed);
    const uint64_t chosen = chosen_.load(std::memory_order_relaxed);
    // Another thread may have written one of the two since the other was read: a chosen call outside of the block is
    // not the block's.
    if (number - block < every && chosen - block < every) return number == chosen;
    return number == choose(number, every);
  }

 private:
  /// The chosen call of the block that the call is in; a draw for the block.
  uint64_t choose(uint64_t number, uint32_t every);

  std::atomic<uint32_t> every_;
  std::atomic<uint64_t> first_;  // call of the first block at this rate
  // The block drawn last: its first call and the chosen one.
  std::atomic<uint64_t> block_;
  std::atomic<uint64_t> chosen_;
  uint64_t seed_;
};

}  // namespace xsp::guest
