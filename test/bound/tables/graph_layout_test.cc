#include "bound/tables/graph_layout.h"

#include <cmath>
#include <random>

#include "bound/tables/rank_order.h"
#include "test/catch.h"

using namespace xsp::bound;

namespace {

/// Links between two ranks of cells: 0, 1, … above, and below those.
std::vector<RankCell> linked_cells(size_t count, const std::vector<std::pair<size_t, size_t>>& links) {
  std::vector<RankCell> cells(count);
  for (const auto& [above, below] : links) {
    cells[above].below.push_back({below, 1});
    cells[below].above.push_back({above, 1});
  }
  return cells;
}

size_t crossings_of(const std::vector<RankCell>& cells, const std::vector<std::vector<size_t>>& ranks) {
  std::vector<size_t> place_of(cells.size());
  for (const auto& rank : ranks) {
    for (size_t place = 0; place < rank.size(); ++place) place_of[rank[place]] = place;
  }
  size_t crossings = 0;
  for (const auto& rank : ranks) crossings += crossings_above(cells, rank, place_of);
  return crossings;
}

void check_distances(const std::vector<LayoutNode>& nodes, const GraphLayout& layout) {
  for (size_t a = 0; a < nodes.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (nodes[a].rank != nodes[b].rank) continue;
      CHECK(std::abs(layout.middle[a] - layout.middle[b]) >= (nodes[a].width + nodes[b].width) / 2 + 1);
    }
    for (size_t from = 0; from < nodes.size(); ++from) {
      if (nodes[a].rank <= nodes[from].rank) continue;
      const size_t piece = nodes[a].rank - nodes[from].rank - 1;
      if (piece >= layout.lanes[from].size()) continue;
      CHECK(std::abs(layout.middle[a] - layout.lanes[from][piece]) > nodes[a].width / 2);
    }
  }
}

}  // namespace

TEST_CASE("crossings of links are counted pair by pair") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<size_t, size_t>> links;
    for (size_t above = 0; above < 6; ++above) {
      for (size_t below = 6; below < 12; ++below) {
        if (random() % 3 == 0) links.emplace_back(above, below);
      }
    }
    size_t expected = 0;
    for (size_t a = 0; a < links.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const bool left_above = links[a].first<links[b].first, right_above = links[a].first> links[b].first;
        const bool left_below = links[a].second<links[b].second, right_below = links[a].second> links[b].second;
        expected += (left_above && right_below) || (right_above && left_below) ? 1 : 0;
      }
    }
    CHECK(crossings_of(linked_cells(12, links), {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}) == expected);
  }
}

TEST_CASE("a tangle that can be undone is undone") {
  const std::vector<RankCell> cells = linked_cells(6, {{0, 5}, {1, 4}, {2, 3}});
  std::vector<std::vector<size_t>> ranks = {{0, 1, 2}, {3, 4, 5}};
  REQUIRE(crossings_of(cells, ranks) == 3);
  order_ranks(cells, &ranks);
  CHECK(crossings_of(cells, ranks) == 0);
}

TEST_CASE("a chain is a straight line") {
  const std::vector<LayoutNode> nodes = {{0, 100}, {1, 60}, {2, 100}};
  const GraphLayout layout = lay_out(nodes, {{0, 1}, {1, 2}});
  CHECK(layout.middle[1] == Approx(layout.middle[0]));
  CHECK(layout.middle[2] == Approx(layout.middle[0]));
  CHECK(layout.lanes == std::vector<std::vector<double>>(3));
}

TEST_CASE("an edge that passes a rank goes beside its boxes") {
  const std::vector<LayoutNode> nodes = {{0, 100}, {1, 100}, {2, 100}, {3, 100}};
  const GraphLayout layout = lay_out(nodes, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  REQUIRE(layout.lanes[0].size() == 2);
  check_distances(nodes, layout);
}

TEST_CASE("nothing overlaps in random graphs") {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges;
    for (size_t node = 0; node < 40; ++node) {
      nodes.push_back({node / 4, 40 + static_cast<double>(random() % 80)});
      for (int edge = 0; edge < 2 && node >= 4; ++edge) {
        const size_t from = random() % (node / 4 * 4);
        edges.push_back({from, node, 1 + static_cast<double>(random() % 9)});
      }
    }
    check_distances(nodes, lay_out(nodes, edges));
  }
}

TEST_CASE("a graph without nodes has a layout") { CHECK(lay_out({}, {}).middle.empty()); }
