#include "bound/measure/cache_eviction.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace xsp::bound {
namespace {

constexpr size_t kLineBytes = 64;  // no processor that is meant here has shorter ones
constexpr uint64_t kUnknownCacheBytes = uint64_t{32} << 20;

#ifdef __x86_64__

bool can_drop_lines() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned kClflushopt = 1U << 23;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kClflushopt) != 0;
}

__attribute__((target("clflushopt"))) void drop_lines(std::span<const std::byte> memory) {
  const auto begin = reinterpret_cast<uintptr_t>(memory.data()) / kLineBytes * kLineBytes;
  const auto end = reinterpret_cast<uintptr_t>(memory.data()) + memory.size();
  for (uintptr_t line = begin; line < end; line += kLineBytes) _mm_clflushopt(reinterpret_cast<void*>(line));
  _mm_mfence();
}

#else

bool can_drop_lines() { return false; }
void drop_lines(std::span<const std::byte>) {}

#endif

}  // namespace

CacheEviction::CacheEviction(uint64_t cache_bytes, Way way) : drops_lines_(way == Way::kBest && can_drop_lines()) {
  const uint64_t bytes = cache_bytes == 0 ? kUnknownCacheBytes : cache_bytes;
  if (!drops_lines_) other_memory_.resize(bytes + bytes / 4);
}

void CacheEviction::operator()(std::span<const std::byte> memory) {
  if (drops_lines_) {
    drop_lines(memory);
    return;
  }
  // Written, not only read: pages that nobody wrote are all the same one.
  for (size_t i = 0; i < other_memory_.size(); i += kLineBytes) {
    auto* const line = static_cast<volatile std::byte*>(&other_memory_[i]);
    *line = static_cast<std::byte>(std::to_integer<unsigned>(*line) + 1);
  }
}

}  // namespace xsp::bound
