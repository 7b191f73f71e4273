#include "inject/bench/thread_counts.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace xsp::bench {
namespace {

constexpr uint32_t kProbes = 16;

}  // namespace

uint32_t default_interval(uint32_t last) { return std::max<uint32_t>(1, (last + kProbes / 2) / kProbes); }

std::vector<uint32_t> counts_to_climb(uint32_t last, uint32_t interval) {
  std::vector<uint32_t> counts;
  for (uint64_t count = 1; count < last; count += interval) counts.push_back(static_cast<uint32_t>(count));
  counts.push_back(std::max<uint32_t>(last, 1));
  return counts;
}

uint32_t own_threads(const char* omp_num_threads, uint32_t allowed) {
  const std::string_view text = omp_num_threads != nullptr ? omp_num_threads : "";
  uint32_t threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  const bool is_whole = end == text.data() + text.size() || *end == ',';
  if (error == std::errc() && is_whole && threads > 0) return threads;
  return std::max<uint32_t>(allowed, 1);
}

}  // namespace xsp::bench
