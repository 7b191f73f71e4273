#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

namespace xsp::analysis {

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

}  // namespace xsp::analysis
