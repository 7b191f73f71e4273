#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xsp::guest {

/// Rejects most names of functions that the guest does not care for by their first four letters. A lookup of such a
/// name must cost next to nothing, and hashing the whole name takes a good part of the loader's own time.
class NameFilter {
 public:
  /// False: neither a wrapped function nor one of LookedUp has this name.
  bool may_have(const char* name) {
    if (__builtin_expect(!filled_.load(std::memory_order_acquire), 0)) fill();
    const uint32_t bit = bit_of(name);
    return (words_[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0;
  }

 private:
  static constexpr uint32_t kBits = 8192;

  static uint32_t bit_of(const char* name) {
    uint32_t letters = 0;
    for (size_t i = 0; i < 4 && name[i] != '\0'; ++i) letters = letters << 8 | static_cast<uint8_t>(name[i]);
    return letters * 0x9e3779b1U >> (32 - 13);
  }

  /// Run by whichever threads come first; all of them set the same bits.
  void fill();
  void add(const char* name);

  std::atomic<uint64_t> words_[kBits / 64];
  std::atomic<bool> filled_;
};

extern constinit NameFilter name_filter;

}  // namespace xsp::guest
