#include "analysis/mining/folded_pattern.h"

#include <algorithm>
#include <functional>
#include <string>

#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;

Symbols expanded(const std::vector<FoldedPattern>& parts) {
  Symbols result;
  for (const FoldedPattern& part : parts) {
    const Symbols once = part.parts.empty() ? part.symbols : expanded(part.parts);
    for (uint64_t i = 0; i < part.repeats; ++i) result.insert(result.end(), once.begin(), once.end());
  }
  return result;
}

/// "x 2(ab 3(c))".
std::string folded(const std::vector<FoldedPattern>& parts) {
  std::string text;
  for (const FoldedPattern& part : parts) {
    if (!text.empty()) text += " ";
    std::string once;
    for (const uint32_t symbol : part.symbols) once += static_cast<char>('a' + symbol);
    if (!part.parts.empty()) once = folded(part.parts);
    text += part.repeats == 1 ? once : std::to_string(part.repeats) + "(" + once + ")";
  }
  return text;
}

std::string folded(std::string_view letters) { return folded(fold_pattern(symbols_of(letters))); }

/// How many symbols are written down.
size_t leaves(const std::vector<FoldedPattern>& parts) {
  size_t count = 0;
  for (const FoldedPattern& part : parts) count += part.symbols.size() + leaves(part.parts);
  return count;
}

TEST_CASE("folded pattern: adjacent repeats stand once, with their number") {
  CHECK(folded("pqabcabcabcxy") == "pq 3(abc) xy");
  CHECK(folded("aaaa") == "4(a)");
  CHECK(folded("abc") == "abc");
  CHECK(folded("") == "");
}

TEST_CASE("folded pattern: repeats in repeats") {
  CHECK(folded("xabbbcabbbcy") == "x 2(a 3(b) c) y");
  CHECK(folded("abababcabababcabababc") == "3(3(ab) c)");
}

TEST_CASE("folded pattern: of overlapping repeats the one that leaves more out") {
  // "ab" twice from the first symbol on would break the first of the two larger ones.
  CHECK(folded("ababacbabac") == "a 2(2(ba) c)");
}

TEST_CASE("folded pattern: a model of equal blocks is prologue, blocks, epilogue") {
  const Symbols block = symbols_of("cdeffgcdh");
  const std::vector<FoldedPattern> parts = fold_pattern(symbols_of("ab") + 24 * block + symbols_of("ij"));
  CHECK(folded(parts) == "ab 24(cde 2(f) gcdh) ij");
}

TEST_CASE("folded pattern: expanding it gives the pattern again") {
  for_each_sequence(200, 3000, [](const Symbols& symbols) {
    const std::vector<FoldedPattern> parts = fold_pattern(symbols);
    if (expanded(parts) == symbols && leaves(parts) <= symbols.size()) return;
    INFO(text_of(symbols));
    CHECK(expanded(parts) == symbols);
    CHECK(leaves(parts) <= symbols.size());
  });
}

TEST_CASE("folded pattern: leaves without repeats have none left") {
  for_each_sequence(40, 2000, [](const Symbols& symbols) {
    const std::function<bool(const std::vector<FoldedPattern>&)> is_folded =
        [&](const std::vector<FoldedPattern>& parts) {
          for (const FoldedPattern& part : parts) {
            if (!part.parts.empty() && !is_folded(part.parts)) return false;
            for (size_t begin = 0; begin < part.symbols.size(); ++begin) {
              for (size_t period = 1; begin + 2 * period <= part.symbols.size(); ++period) {
                const auto first = part.symbols.begin() + static_cast<std::ptrdiff_t>(begin);
                const auto second = first + static_cast<std::ptrdiff_t>(period);
                if (std::equal(first, second, second)) return false;
              }
            }
          }
          return true;
        };
    INFO(text_of(symbols));
    CHECK(is_folded(fold_pattern(symbols)));
  });
}

TEST_CASE("folded pattern: long patterns fold in little time") {
  CHECK(folded(fold_pattern(Symbols(300'000, 0))) == "300000(a)");
  const Symbols word = fibonacci_word(100'000);
  CHECK(expanded(fold_pattern(word)) == word);
}

}  // namespace
}  // namespace xsp::analysis
