#include "collector/correlation/graph_nodes_table.h"

#include <algorithm>
#include <random>
#include <vector>

#include "collector/messages/peer_limits.h"
#include "test/catch.h"

namespace xsp {
namespace {

TEST_CASE("clones follow their original, whichever came first") {
  std::mt19937 random(2);
  // 1..10 are new; 11 is a clone of 1, 12 of 2, ... 21 of 11, and so on.
  std::vector<uint64_t> nodes;
  for (uint64_t node = 1; node <= 200; ++node) nodes.push_back(node);
  for (int round = 0; round < 50; ++round) {
    GraphNodesTable table;
    std::shuffle(nodes.begin(), nodes.end(), random);
    for (const uint64_t node : nodes) {
      const uint64_t original = node > 10 ? node - 10 : 0;
      REQUIRE(table.add(node, original, {3, static_cast<uint32_t>(100 + node)}));
    }
    for (const uint64_t node : nodes) {
      const auto found = table.find(node);
      REQUIRE(found.is_known);
      REQUIRE(found.span.id == 101 + (node - 1) % 10);
    }
    CHECK(table.size() == 200);
  }
}

TEST_CASE("a node made outside of all spans is known, one that was not told is not") {
  GraphNodesTable table;
  CHECK_FALSE(table.find(1).is_known);
  table.add(1, 0, {});
  table.add(2, 9, {});
  CHECK(table.find(1).is_known);
  CHECK(table.find(1).span.ring == 0);
  CHECK_FALSE(table.find(2).is_known);
  CHECK_FALSE(table.find(9).is_known);
  CHECK_FALSE(table.find(0).is_known);
}

TEST_CASE("clones in a circle are not known") {
  GraphNodesTable table;
  table.add(1, 1, {});
  table.add(2, 3, {});
  table.add(3, 4, {});
  table.add(4, 2, {});
  for (const uint64_t node : {1, 2, 3, 4}) CHECK_FALSE(table.find(node).is_known);
  table.add(4, 5, {});
  table.add(5, 0, {1, 7});
  CHECK(table.find(2).span.id == 7);
}

TEST_CASE("a full table says so, and keeps what it has") {
  GraphNodesTable table;
  for (uint64_t node = 1; node <= kMaxGraphNodes; ++node) REQUIRE(table.add(node << 32, 0, {1, 5}));
  CHECK_FALSE(table.add(7, 0, {1, 6}));
  CHECK(table.add(uint64_t{1} << 32, 0, {1, 6}));
  CHECK(table.size() == kMaxGraphNodes);
  CHECK(table.find(uint64_t{1} << 32).span.id == 6);
  CHECK(table.find(kMaxGraphNodes << 32).span.id == 5);
  CHECK_FALSE(table.find(7).is_known);
}

}  // namespace
TEST_CASE("a node that was told to be made and to be a clone is a clone") {
  const bool clone_first = GENERATE(false, true);
  GraphNodesTable table;
  CHECK(table.add(1, 0, {3, 30}));
  if (clone_first) CHECK(table.add(2, 1, {}));
  CHECK(table.add(2, 0, {4, 40}));
  if (!clone_first) CHECK(table.add(2, 1, {}));
  CHECK(table.find(2).is_known);
  CHECK(table.find(2).span.ring == 3);
  CHECK(table.find(2).span.id == 30);
}

}  // namespace xsp
