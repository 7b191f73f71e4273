#include "analysis/mining/lcp_intervals.h"

#include <map>
#include <set>
#include <tuple>

#include "analysis/mining/longest_common_prefix.h"
#include "analysis/mining/suffix_array.h"
#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;

/// Depth, depth of the parent, occurrences, first occurrence.
using Node = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

std::multiset<Node> walked_nodes(const Symbols& symbols) {
  std::multiset<Node> nodes;
  const std::vector<uint32_t> order = suffix_array(symbols);
  for_each_lcp_interval(order, permuted_longest_common_prefixes(symbols, order), [&](const LcpInterval& interval) {
    nodes.insert({interval.depth, interval.parent_depth, interval.count(), interval.first});
  });
  return nodes;
}

/// A node is a substring that is followed by different symbols, the end being one.
std::multiset<Node> counted_nodes(const Symbols& symbols) {
  struct Substring {
    uint32_t count = 0;
    uint32_t first = 0;
    std::set<int64_t> followers;
  };
  std::map<Symbols, Substring> substrings;
  for (size_t begin = 0; begin < symbols.size(); ++begin) {
    for (size_t end = begin + 1; end <= symbols.size(); ++end) {
      Substring& substring = substrings[Symbols(symbols.begin() + static_cast<std::ptrdiff_t>(begin),
                                                symbols.begin() + static_cast<std::ptrdiff_t>(end))];
      if (substring.count++ == 0) substring.first = static_cast<uint32_t>(begin);
      substring.followers.insert(end < symbols.size() ? int64_t{symbols[end]} : -1);
    }
  }
  std::multiset<Node> nodes;
  for (const auto& [substring, found] : substrings) {
    if (found.followers.size() < 2) continue;
    Symbols prefix = substring;
    do prefix.pop_back();
    while (!prefix.empty() && substrings[prefix].followers.size() < 2);
    nodes.insert(
        {static_cast<uint32_t>(substring.size()), static_cast<uint32_t>(prefix.size()), found.count, found.first});
  }
  return nodes;
}

TEST_CASE("lcp intervals: the suffix tree of the paper's figure 4") {
  // "a" three times, "ana" and "na" twice.
  CHECK(walked_nodes(symbols_of("banana")) == std::multiset<Node>{{1, 0, 3, 1}, {3, 1, 2, 1}, {2, 0, 2, 2}});
}

TEST_CASE("lcp intervals: are the internal nodes, with their depths, counts and first places") {
  for_each_sequence(28, 4000, [](const Symbols& symbols) {
    if (walked_nodes(symbols) == counted_nodes(symbols)) return;
    INFO(text_of(symbols));
    CHECK(walked_nodes(symbols) == counted_nodes(symbols));
  });
}

}  // namespace
}  // namespace xsp::analysis
