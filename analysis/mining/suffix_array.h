#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// The longest sequence that a suffix array is made of: the highest bit of a position is a mark while it is sorted.
inline constexpr size_t kMostSuffixes = (size_t{1} << 31) - 1;

/// The positions of all suffixes in lexical order; where one suffix begins another, the shorter comes first. By induced
/// sorting (Nong, Zhang, Chan: "Two efficient algorithms for linear time suffix array construction", 2011) in
/// O(n + largest symbol) time; beyond the result it takes at most 4 bytes a symbol and two counters for each value up
/// to the largest symbol. At most kMostSuffixes symbols.
std::vector<uint32_t> suffix_array(std::span<const Symbol> symbols);

}  // namespace xsp::analysis
