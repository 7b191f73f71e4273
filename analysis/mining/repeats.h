#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "analysis/mining/loops.h"

namespace xsp::analysis {

/// By position: how many symbols the suffix shares with the one before it in the suffix array; 0 of the first. The LCP
/// array is its values in the suffix array's order. In order of position it needs no array beside itself and reads the
/// symbols nearly in sequence (Kärkkäinen, Manzini, Puglisi: "Permuted longest-common-prefix array", 2009). O(n).
std::vector<uint32_t> permuted_longest_common_prefixes(std::span<const Symbol> symbols,
                                                       std::span<const uint32_t> suffix_array);

/// An internal node of the suffix tree, the root excepted: the suffixes [begin, end) of the suffix array begin with the
/// same `depth` symbols and no longer all alike. Each of the lengths from parent_depth + 1 to depth is a substring that
/// occurs at these places and nowhere else.
struct LcpInterval {
  uint32_t depth = 0;
  uint32_t parent_depth = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
  uint32_t first = 0;  // the smallest position of its suffixes

  uint32_t count() const { return end - begin; }
};

/// Calls `visit` with every interval, children before parents: a walk over the array with a stack of the open intervals
/// (Abouelhoda, Kurtz, Ohlebusch: "Replacing suffix trees with enhanced suffix arrays", 2004). O(n); the stack is as
/// deep as intervals are nested.
template <typename Visit>
void for_each_lcp_interval(std::span<const uint32_t> suffix_array, std::span<const uint32_t> permuted_lcp,
                           Visit visit) {
  struct Open {
    uint32_t depth;
    uint32_t begin;
    uint32_t first;
  };
  const size_t size = suffix_array.size();
  std::deque<Open> open = {{0, 0, UINT32_MAX}};  // the root first; equal symbols open as many as they are
  for (size_t i = 1; i <= size; ++i) {
    const uint32_t depth = i < size ? permuted_lcp[suffix_array[i]] : 0;
    // Of the suffix before this one, which lies in the innermost open interval or in one that this one opens.
    uint32_t first = suffix_array[i - 1];
    uint32_t begin = static_cast<uint32_t>(i - 1);
    while (open.back().depth > depth) {
      const Open top = open.back();
      open.pop_back();
      begin = top.begin;
      first = std::min(first, top.first);
      visit(LcpInterval{top.depth, std::max(depth, open.back().depth), begin, static_cast<uint32_t>(i), first});
    }
    if (open.back().depth < depth) {
      open.push_back({depth, begin, first});
    } else {
      open.back().first = std::min(open.back().first, first);
    }
  }
}

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
