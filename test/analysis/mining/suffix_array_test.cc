#include "analysis/mining/suffix_array.h"

#include <algorithm>
#include <numeric>

#include "test/analysis/mining/sequences.h"
#include "test/catch.h"

namespace xsp::analysis {
namespace {

using namespace xsp::test;

std::vector<uint32_t> sorted_suffixes(const Symbols& symbols) {
  std::vector<uint32_t> order(symbols.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::lexicographical_compare(symbols.begin() + a, symbols.end(), symbols.begin() + b, symbols.end());
  });
  return order;
}

void check(const Symbols& symbols) {
  if (suffix_array(symbols) == sorted_suffixes(symbols)) return;
  INFO(text_of(symbols));
  CHECK(suffix_array(symbols) == sorted_suffixes(symbols));
}

TEST_CASE("suffix array: suffixes of a word are in lexical order") {
  CHECK(suffix_array(symbols_of("banana")) == std::vector<uint32_t>{5, 3, 1, 0, 4, 2});
}

TEST_CASE("suffix array: agrees with sorting") {
  for_each_sequence(60, 20'000, check);
  for_each_sequence(1500, 100, check);
}

TEST_CASE("suffix array: all sequences of three symbols up to a length") {
  for (size_t size = 0; size <= 8; ++size) {
    Symbols symbols(size);
    for (bool more = true; more;) {
      check(symbols);
      more = false;
      for (size_t place = 0; place < size && !more; ++place) {
        more = symbols[place] < 2;
        symbols[place] = more ? symbols[place] + 1 : 0;
      }
    }
  }
}

TEST_CASE("suffix array: symbols of one, two and four bytes are sorted alike") {
  std::mt19937 random(7);
  for (const uint32_t factor : {1U, 257U, 70'000U}) {
    Symbols symbols = random_symbols(3000, 200, random);
    for (uint32_t& symbol : symbols) symbol *= factor;
    check(symbols);
  }
}

}  // namespace
}  // namespace xsp::analysis
