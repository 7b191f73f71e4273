#include "analysis/mining/repeats.h"

#include <map>
#include <utility>

#include "analysis/mining/longest_common_prefix.h"
#include "analysis/mining/suffix_array.h"
#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;

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
