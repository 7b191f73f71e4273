#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace xsp::analysis {

/// Which substrings may be a loop's pattern (criteria 2 and 3 of the DeepProf paper).
struct RepeatCriteria {
  uint32_t count = 0;    // criterion 2: count - epsilon < occurrences <= count
  uint32_t epsilon = 1;  // doubled until there is one
  uint64_t longest = 0;  // criterion 3: in symbols
};

/// A substring that occurs more than once.
struct Repeat {
  uint32_t first = 0;  // where it occurs first
  uint32_t length = 0;
  uint32_t count = 0;    // of its occurrences, which may overlap
  uint32_t order = 0;    // they are the suffixes [order, order + count) of the suffix array
  uint32_t epsilon = 0;  // with which it was found
};

/// The longest substring that satisfies the criteria with the smallest epsilon of criteria.epsilon * 2^k with which
/// there is any. Nodes of the suffix tree stand for all lengths from their parent's on, so that one that is too deep is
/// shortened. Of several, as of a loop's rotations, the one that occurs first: where the loop begins. Nothing: no
/// epsilon helps. One walk over the intervals, O(n), finds it for every epsilon at once.
std::optional<Repeat> longest_repeat(std::span<const uint32_t> suffix_array, std::span<const uint32_t> permuted_lcp,
                                     const RepeatCriteria& criteria);

}  // namespace xsp::analysis
