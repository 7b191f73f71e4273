#include "analysis/mining/longest_common_prefix.h"

#include <algorithm>

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

}  // namespace
}  // namespace xsp::analysis
