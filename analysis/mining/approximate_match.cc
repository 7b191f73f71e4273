#include "analysis/mining/approximate_match.h"

#include <algorithm>
#include <cstddef>

namespace xsp::analysis {

std::vector<ApproximateMatch> approximate_matches(std::span<const Symbol> symbols, std::span<const Symbol> pattern,
                                                  uint32_t most_unmatched) {
  std::vector<ApproximateMatch> matches;
  if (pattern.empty()) return matches;
  const size_t longest = pattern.size() + most_unmatched;
  const size_t size = symbols.size();
  for (size_t begin = 0;;) {
    begin = static_cast<size_t>(
        std::find(symbols.begin() + static_cast<std::ptrdiff_t>(begin), symbols.end(), pattern.front()) -
        symbols.begin());
    size_t end = begin;
    size_t matched = 0;
    for (; end < size && matched < pattern.size(); ++end) matched += symbols[end] == pattern[matched];
    if (matched < pattern.size()) break;  // nor will it be complete from any later start
    if (end - begin <= longest) {
      matches.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
      begin = end;
    } else {
      begin = end - longest;
    }
  }
  return matches;
}

}  // namespace xsp::analysis
