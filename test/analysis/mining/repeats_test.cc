#include "analysis/mining/repeats.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/mining/suffix_array.h"
#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;

std::vector<uint32_t> compared_prefixes(const Symbols& symbols, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> result(symbols.size());
  for (size_t i = 1; i < order.size(); ++i) {
    const auto begin = symbols.begin() + order[i];
    const auto same = std::mismatch(begin, symbols.end(), symbols.begin() + order[i - 1], symbols.end());
    result[order[i]] = static_cast<uint32_t>(same.first - begin);
  }
  return result;
}

TEST_CASE("longest common prefix: of a word's suffixes, by position") {
  const Symbols banana = symbols_of("banana");
  // In the array's order: a 0, ana 1, anana 3, banana 0, na 0, nana 2.
  CHECK(permuted_longest_common_prefixes(banana, suffix_array(banana)) == std::vector<uint32_t>{0, 3, 2, 1, 0, 0});
}

TEST_CASE("longest common prefix: agrees with comparing neighbours") {
  const auto check = [](const Symbols& symbols) {
    const std::vector<uint32_t> order = suffix_array(symbols);
    if (permuted_longest_common_prefixes(symbols, order) == compared_prefixes(symbols, order)) return;
    INFO(text_of(symbols));
    CHECK(permuted_longest_common_prefixes(symbols, order) == compared_prefixes(symbols, order));
  };
  for_each_sequence(60, 5000, check);
  for_each_sequence(1500, 50, check);
}

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

std::optional<Repeat> found_repeat(const Symbols& symbols, const RepeatCriteria& criteria) {
  const std::vector<uint32_t> order = suffix_array(symbols);
  return longest_repeat(order, permuted_longest_common_prefixes(symbols, order), criteria);
}

/// As the paper has it: all substrings for one epsilon, then for twice that.
class AllSubstrings {
 public:
  explicit AllSubstrings(const Symbols& symbols) {
    for (size_t begin = 0; begin < symbols.size(); ++begin) {
      Symbols substring;
      for (size_t end = begin; end < symbols.size(); ++end) {
        substring.push_back(symbols[end]);
        Repeat& repeat = repeats_[substring];
        if (repeat.count++ == 0) repeat.first = static_cast<uint32_t>(begin);
        repeat.length = static_cast<uint32_t>(substring.size());
      }
    }
  }

  std::optional<Repeat> longest(const RepeatCriteria& criteria) const {
    for (int64_t epsilon = criteria.epsilon;; epsilon *= 2) {
      std::optional<Repeat> best;
      for (const auto& [substring, repeat] : repeats_) {
        if (repeat.count < 2 || repeat.count > criteria.count || repeat.length > criteria.longest) continue;
        if (int64_t{criteria.count} - epsilon >= repeat.count) continue;
        if (!best || std::pair(best->length, repeat.first) < std::pair(repeat.length, best->first)) {
          best = repeat;
          best->epsilon = static_cast<uint32_t>(epsilon);
        }
      }
      if (best || epsilon > int64_t{criteria.count}) return best;
    }
  }

 private:
  std::map<Symbols, Repeat> repeats_;
};

bool same(const std::optional<Repeat>& a, const std::optional<Repeat>& b) {
  if (!a || !b) return !a && !b;
  return a->first == b->first && a->length == b->length && a->count == b->count && a->epsilon == b->epsilon;
}

TEST_CASE("repeats: the longest that repeats as often as wanted") {
  const std::optional<Repeat> repeat = found_repeat(symbols_of("xabcabcyabc"), {.count = 3, .longest = 3});
  REQUIRE(repeat);
  CHECK(repeat->first == 1);
  CHECK(repeat->length == 3);
  CHECK(repeat->count == 3);
  CHECK(repeat->epsilon == 1);
}

TEST_CASE("repeats: a node that is too deep is shortened to the limit") {
  const std::optional<Repeat> repeat = found_repeat(symbols_of("abcdefzabcdef"), {.count = 2, .longest = 4});
  REQUIRE(repeat);
  CHECK(repeat->first == 0);
  CHECK(repeat->length == 4);
}

TEST_CASE("repeats: epsilon doubles until something repeats often enough") {
  // "ab" five times, where eight were wanted: epsilon 1 and 2 find nothing, 4 does.
  const std::optional<Repeat> repeat = found_repeat(symbols_of("abcabdabeabfabg"), {.count = 8, .longest = 5});
  REQUIRE(repeat);
  CHECK(repeat->length == 2);
  CHECK(repeat->count == 5);
  CHECK(repeat->epsilon == 4);
}

TEST_CASE("repeats: what repeats more often than wanted is not taken") {
  CHECK_FALSE(found_repeat(symbols_of("aaaaaaaaaa"), {.count = 3, .longest = 3}));
}

TEST_CASE("repeats: counts and epsilons up to the largest do not overflow") {
  const Symbols symbols = symbols_of("abab");
  for (const uint32_t epsilon : {0U, 1U, 3U, UINT32_MAX}) {
    const std::optional<Repeat> repeat =
        found_repeat(symbols, {.count = UINT32_MAX, .epsilon = epsilon, .longest = UINT64_MAX});
    REQUIRE(repeat);
    CHECK(repeat->length == 2);
  }
}

TEST_CASE("repeats: agree with a search through all substrings") {
  std::mt19937 random(5);
  for_each_sequence(26, 2000, [&](const Symbols& symbols) {
    const AllSubstrings all(symbols);
    for (int i = 0; i < 20; ++i) {
      const RepeatCriteria criteria = {.count = 2 + static_cast<uint32_t>(random()) % 12,
                                       .epsilon = 1 + static_cast<uint32_t>(random()) % 4,
                                       .longest = random() % 14};
      if (same(found_repeat(symbols, criteria), all.longest(criteria))) continue;
      INFO(text_of(symbols) << "; count " << criteria.count << ", epsilon " << criteria.epsilon << ", longest "
                            << criteria.longest);
      CHECK(same(found_repeat(symbols, criteria), all.longest(criteria)));
    }
  });
}

}  // namespace
}  // namespace xsp::analysis
