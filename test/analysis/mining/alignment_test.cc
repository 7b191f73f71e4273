#include "analysis/mining/alignment.h"

#include <algorithm>
#include <random>
#include <vector>

#include "test/catch.h"

namespace {

using namespace xsp::analysis;

uint32_t distance_by_table(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  std::vector<std::vector<uint32_t>> common(a.size() + 1, std::vector<uint32_t>(b.size() + 1, 0));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; k < b.size(); ++k) {
      common[i + 1][k + 1] = a[i] == b[k] ? common[i][k] + 1 : std::max(common[i][k + 1], common[i + 1][k]);
    }
  }
  return static_cast<uint32_t>(a.size() + b.size() - 2 * common[a.size()][b.size()]);
}

TEST_CASE("The edit distance is that of the longest common subsequence") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Symbol> a(random() % 40), b(random() % 40);
    const uint32_t alphabet = 1 + random() % 6;
    for (Symbol& symbol : a) symbol = random() % alphabet;
    for (Symbol& symbol : b) symbol = random() % alphabet;
    const uint32_t expected = distance_by_table(a, b);
    CHECK(edit_distance(a, b, 80) == expected);
    if (expected > 0) CHECK_FALSE(edit_distance(a, b, expected - 1).has_value());
  }
}

TEST_CASE("The way back to agreement skips what was inserted and what is missing") {
  const std::vector<Symbol> pattern{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<Symbol> sequence{90, 91, 2, 3, 5, 6, 7, 8, 9};
  Resynchronisation way;
  REQUIRE(way.find(sequence, pattern.data(), 10, 16, 4));
  CHECK(way.distance() == 4);
  CHECK(way.blocks().back().position == 4);
  CHECK(way.blocks().back().phase == 4);
  CHECK_FALSE(way.find(sequence, pattern.data(), 10, 3, 4));
}

TEST_CASE("An edge is aligned with the most matches in the fewest operations") {
  const std::vector<Symbol> sequence{9, 2, 3, 9, 9, 3};
  const std::vector<Symbol> pattern{1, 2, 3};
  const EdgeAlignment edge = align_edge(sequence, pattern);
  CHECK(edge.matches == 2);
  CHECK(edge.end == 3);
}

}  // namespace
