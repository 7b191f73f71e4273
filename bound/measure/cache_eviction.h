#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace xsp::bound {

/// Takes memory out of all caches of the machine. Where the processor can write back and drop single lines (x86), just
/// the given ones; elsewhere by writing more memory than the last cache holds.
class CacheEviction {
 public:
  enum class Way { kBest, kByWriting };

  /// `cache_bytes`: of the last cache; 0, it is not known: taken as 32 MiB.
  explicit CacheEviction(uint64_t cache_bytes, Way way = Way::kBest);

  void operator()(std::span<const std::byte> memory);

 private:
  bool drops_lines_ = false;
  std::vector<std::byte> other_memory_;
};

}  // namespace xsp::bound
