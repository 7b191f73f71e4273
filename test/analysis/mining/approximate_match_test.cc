#include "analysis/mining/approximate_match.h"

#include <utility>

#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

Pairs matches(const Symbols& symbols, const Symbols& pattern, uint32_t most_unmatched) {
  Pairs result;
  for (const ApproximateMatch& match : approximate_matches(symbols, pattern, most_unmatched)) {
    result.emplace_back(match.begin, match.end);
  }
  return result;
}

/// The paper's lines, with what they leave open as the header says.
Pairs algorithm_1(const Symbols& s, const Symbols& p, uint32_t most_unmatched) {
  Pairs result;
  for (size_t i = 0; i < s.size();) {
    uint32_t k = 0;
    size_t i0 = i;
    bool is_match = true;
    for (size_t j = 0; j < p.size() && is_match; ++j) {
      while (i0 < s.size() && s[i0] != p[j] && k <= most_unmatched) {
        ++k;
        ++i0;
      }
      is_match = i0 < s.size() && k <= most_unmatched;
      ++i0;
    }
    if (is_match) {
      while (s[i] != p.front()) ++i;
      result.emplace_back(static_cast<uint32_t>(i), static_cast<uint32_t>(i0));
      i = i0;
    } else {
      ++i;
    }
  }
  return result;
}

TEST_CASE("approximate match: takes others between the pattern's symbols, up to k0") {
  const Symbols symbols = symbols_of("abcabxcaxxbcaxxxbc");
  CHECK(matches(symbols, symbols_of("abc"), 0) == Pairs{{0, 3}});
  CHECK(matches(symbols, symbols_of("abc"), 1) == Pairs{{0, 3}, {3, 7}});
  CHECK(matches(symbols, symbols_of("abc"), 2) == Pairs{{0, 3}, {3, 7}, {7, 12}});
  CHECK(matches(symbols, symbols_of("abc"), 3) == Pairs{{0, 3}, {3, 7}, {7, 12}, {12, 18}});
}

TEST_CASE("approximate match: a symbol that the pattern has twice must be there twice") {
  CHECK(matches(symbols_of("abaab"), symbols_of("aab"), 0) == Pairs{{2, 5}});
}

TEST_CASE("approximate match: what the sequence's end cuts off is none") {
  CHECK(matches(symbols_of("abcab"), symbols_of("abc"), 5) == Pairs{{0, 3}});
}

TEST_CASE("approximate match: begins with the pattern's first symbol") {
  CHECK(matches(symbols_of("xxabcxabc"), symbols_of("abc"), 2) == Pairs{{2, 5}, {6, 9}});
}

TEST_CASE("approximate match: agrees with the paper's algorithm") {
  std::mt19937 random(9);
  for_each_sequence(50, 10'000, [&](const Symbols& symbols) {
    if (symbols.empty()) return;
    for (int i = 0; i < 8; ++i) {
      const size_t begin = random() % symbols.size();
      Symbols pattern(symbols.begin() + static_cast<std::ptrdiff_t>(begin), symbols.end());
      pattern.resize(1 + random() % pattern.size());
      if (i % 4 == 3) pattern[random() % pattern.size()] = symbols[random() % symbols.size()];
      const auto most_unmatched = static_cast<uint32_t>(random() % (i % 2 == 0 ? 3 : 20));
      if (matches(symbols, pattern, most_unmatched) == algorithm_1(symbols, pattern, most_unmatched)) continue;
      INFO(text_of(symbols) << "; pattern " << text_of(pattern) << "; k0 " << most_unmatched);
      CHECK(matches(symbols, pattern, most_unmatched) == algorithm_1(symbols, pattern, most_unmatched));
    }
  });
}

TEST_CASE("approximate match: no pattern, no symbols, a pattern longer than the sequence") {
  CHECK(matches(symbols_of("abc"), {}, 1).empty());
  CHECK(matches({}, symbols_of("a"), 1).empty());
  CHECK(matches(symbols_of("aa"), symbols_of("aaa"), UINT32_MAX).empty());
}

TEST_CASE("approximate match: what never fits costs no more than what does") {
  // Tried from every place each would take as many steps as the pattern is long, 10^11 in all.
  const Symbols run(1'000'000, 0);
  const Symbols half(100'000, 0);
  CHECK(matches(run + Symbols{1}, half + Symbols{2}, 10'000).empty());
  // Two symbols in the other order in every repeat.
  const Symbols other = Symbols{2, 1} + half;
  CHECK(matches(10 * other, Symbols{1, 2} + half, 10'000).empty());
}

}  // namespace
}  // namespace xsp::analysis
