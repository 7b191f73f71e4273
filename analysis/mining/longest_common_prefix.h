#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// By position: how many symbols the suffix shares with the one before it in the suffix array; 0 of the first. The LCP
/// array is its values in the suffix array's order. In order of position it needs no array beside itself and reads the
/// symbols nearly in sequence (Kärkkäinen, Manzini, Puglisi: "Permuted longest-common-prefix array", 2009). O(n).
std::vector<uint32_t> permuted_longest_common_prefixes(std::span<const Symbol> symbols,
                                                       std::span<const uint32_t> suffix_array);

}  // namespace xsp::analysis
