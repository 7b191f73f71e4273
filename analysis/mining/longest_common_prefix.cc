#include "analysis/mining/longest_common_prefix.h"

#include <algorithm>
#include <cstddef>

namespace xsp::analysis {

std::vector<uint32_t> permuted_longest_common_prefixes(std::span<const Symbol> symbols,
                                                       std::span<const uint32_t> suffix_array) {
  constexpr uint32_t kNone = UINT32_MAX;
  const size_t size = symbols.size();
  // First the suffix that comes before, replaced by what is shared with it.
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
    // Without their first symbols both are suffixes still, in the same order: of the next one no less is shared.
    if (shared > 0) --shared;
  }
  return result;
}

}  // namespace xsp::analysis
