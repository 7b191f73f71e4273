#include "analysis/mining/repeats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace xsp::analysis {
namespace {

bool is_better(const Repeat& a, const Repeat& b) {
  if (a.length != b.length) return a.length > b.length;
  return a.first < b.first;
}

}  // namespace

std::vector<uint32_t> permuted_longest_common_prefixes(std::span<const Symbol> symbols,
                                                       std::span<const uint32_t> suffix_array) {
  constexpr uint32_t kNone = UINT32_MAX;
  const size_t size = symbols.size();
  // First stores the suffix that comes before, which is then replaced by the length shared with it.
  std::vector<uint32_t> result(size);
  uint32_t before = kNone;
  for (const uint32_t position : suffix_array) {
    result[position] = before;
    before = position;
  }
  size_t shared = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t other = result[i];
    if (other == kNone) {
      shared = 0;
    } else {
      const size_t most = size - std::max(i, other);
      while (shared < most && symbols[i + shared] == symbols[other + shared]) ++shared;
    }
    result[i] = static_cast<uint32_t>(shared);
    // Without their first symbols both are still suffixes in the same order: the next one shares no less.
    if (shared > 0) --shared;
  }
  return result;
}

std::optional<Repeat> longest_repeat(std::span<const uint32_t> suffix_array, std::span<const uint32_t> permuted_lcp,
                                     const RepeatCriteria& criteria) {
  // One bit more than a count has: no difference of counts reaches that limit.
  constexpr size_t kDoublings = 33;
  const uint64_t epsilon = std::max(criteria.epsilon, 1U);
  std::array<Repeat, kDoublings> best = {};  // by doublings of epsilon
  for_each_lcp_interval(suffix_array, permuted_lcp, [&](const LcpInterval& interval) {
    if (interval.count() > criteria.count || interval.parent_depth >= criteria.longest) return;
    // The smallest k with epsilon * 2^k above what is missing from the count.
    const uint64_t missing = criteria.count - interval.count();
    const auto doublings = static_cast<size_t>(std::bit_width(missing / epsilon));
    const Repeat repeat = {.first = interval.first,
                           .length = static_cast<uint32_t>(std::min<uint64_t>(interval.depth, criteria.longest)),
                           .count = interval.count(),
                           .order = interval.begin};
    if (is_better(repeat, best[doublings])) best[doublings] = repeat;
  });
  for (size_t k = 0; k < kDoublings; ++k) {
    if (best[k].length == 0) continue;
    best[k].epsilon = static_cast<uint32_t>(std::min<uint64_t>(epsilon << k, UINT32_MAX));
    return best[k];
  }
  return std::nullopt;
}

}  // namespace xsp::analysis
