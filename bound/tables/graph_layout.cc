#include "bound/tables/graph_layout.h"

#include <algorithm>
#include <numeric>

#include "bound/tables/rank_order.h"
#include "bound/tables/separated_positions.h"

namespace xsp::bound {
namespace {

constexpr double kLaneWidth = 4;
constexpr double kLaneGap = 5;
constexpr double kGap = 14;
constexpr double kLaneWeight = 3;  // a bend in the middle of an edge is worse than one at its end
constexpr size_t kMostLaneCells = 1500;
constexpr size_t kMostLanesInRank = 24;
constexpr int kMoves = 24;

/// Cells of nodes and lanes, with what lies next to them above and below.
class CellGrid {
 public:
  CellGrid(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges) : lanes_(nodes.size()) {
    for (const LayoutNode& node : nodes) add_cell(node.rank, node.width);
    add_lanes(nodes, edges);
    for (const LayoutEdge& edge : edges) add_links(nodes, edge);
    sort_links();
  }

  GraphLayout place() {
    order_ranks(cells_, &ranks_);
    GraphLayout layout;
    middle_.resize(cells_.size());
    for (const std::vector<size_t>& rank : ranks_) spread(rank);
    for (int move = 0; move < kMoves; ++move) {
      // In the end both sides count.
      const bool above = move % 2 == 0 || move + 4 >= kMoves;
      const bool below = move % 2 == 1 || move + 4 >= kMoves;
      for (size_t step = 0; step < ranks_.size(); ++step) {
        draw_near(ranks_[move % 2 == 0 ? step : ranks_.size() - 1 - step], above, below);
      }
    }
    layout.middle.assign(middle_.begin(), middle_.begin() + static_cast<std::ptrdiff_t>(lanes_.size()));
    for (const std::vector<size_t>& lane : lanes_) {
      std::vector<double>& at = layout.lanes.emplace_back();
      for (const size_t cell : lane) at.push_back(middle_[cell]);
    }
    return layout;
  }

 private:
  size_t add_cell(size_t rank, double width) {
    if (ranks_.size() <= rank) ranks_.resize(rank + 1);
    ranks_[rank].push_back(cells_.size());
    cells_.push_back({});
    widths_.push_back(width);
    return cells_.size() - 1;
  }

  /// The shortest first, as long as there is room.
  void add_lanes(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges) {
    std::vector<size_t> reach(nodes.size());
    for (const LayoutEdge& edge : edges) reach[edge.from] = std::max(reach[edge.from], nodes[edge.to].rank);
    std::vector<size_t> order(nodes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto length = [&](size_t node) {
      return reach[node] > nodes[node].rank ? reach[node] - nodes[node].rank : 0;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return length(a) < length(b); });
    std::vector<size_t> lanes_in_rank(ranks_.size());
    size_t room = kMostLaneCells;
    for (const size_t node : order) {
      for (size_t rank = nodes[node].rank + 1; rank < reach[node]; ++rank) {
        if (room == 0 || lanes_in_rank[rank] >= kMostLanesInRank) break;
        --room;
        ++lanes_in_rank[rank];
        lanes_[node].push_back(add_cell(rank, kLaneWidth));
      }
    }
  }

  /// An edge goes from its node along the lane as far as that goes; what is left of it binds nothing.
  void add_links(const std::vector<LayoutNode>& nodes, const LayoutEdge& edge) {
    size_t above = edge.from;
    size_t rank = nodes[edge.from].rank + 1;
    for (; rank < nodes[edge.to].rank; ++rank) {
      const size_t place = rank - nodes[edge.from].rank - 1;
      if (place >= lanes_[edge.from].size()) return;
      const size_t cell = lanes_[edge.from][place];
      link(above, cell, edge.weight * (place == 0 ? 1 : kLaneWeight));
      above = cell;
    }
    link(above, edge.to, edge.weight);
  }

  void link(size_t above, size_t below, double weight) {
    cells_[above].below.push_back({below, weight});
    cells_[below].above.push_back({above, weight});
  }

  /// Edges that share a piece of lane are one link there.
  void sort_links() {
    for (RankCell& cell : cells_) {
      for (std::vector<CellLink>* links : {&cell.above, &cell.below}) {
        std::sort(links->begin(), links->end(), [](const CellLink& a, const CellLink& b) {
          return a.cell != b.cell ? a.cell < b.cell : a.weight > b.weight;
        });
        const auto is_same = [](const CellLink& a, const CellLink& b) { return a.cell == b.cell; };
        links->erase(std::unique(links->begin(), links->end(), is_same), links->end());
      }
    }
  }

  double distance(size_t left, size_t right) const {
    const bool between_lanes = left >= lanes_.size() && right >= lanes_.size();
    return (widths_[left] + widths_[right]) / 2 + (between_lanes ? kLaneGap : kGap);
  }

  void spread(const std::vector<size_t>& rank) {
    double at = 0;
    for (size_t place = 0; place < rank.size(); ++place) {
      if (place > 0) at += distance(rank[place - 1], rank[place]);
      middle_[rank[place]] = at;
    }
    for (const size_t cell : rank) middle_[cell] -= at / 2;
  }

  void draw_near(const std::vector<size_t>& rank, bool above, bool below) {
    std::vector<WantedPosition> wanted;
    for (size_t place = 0; place < rank.size(); ++place) {
      const RankCell& cell = cells_[rank[place]];
      double sum = 0, weights = 0;
      const auto add = [&](const std::vector<CellLink>& links) {
        for (const CellLink& to : links) {
          sum += to.weight * middle_[to.cell];
          weights += to.weight;
        }
      };
      if (above || cell.below.empty()) add(cell.above);
      if (below || cell.above.empty()) add(cell.below);
      WantedPosition& want = wanted.emplace_back();
      want.at = weights > 0 ? sum / weights : middle_[rank[place]];
      want.weight = weights > 0 ? weights : 0.01;
      want.distance_before = place > 0 ? distance(rank[place - 1], rank[place]) : 0;
    }
    const std::vector<double> found = separated_positions(wanted);
    for (size_t place = 0; place < rank.size(); ++place) middle_[rank[place]] = found[place];
  }

  std::vector<RankCell> cells_;  // nodes, then pieces of lanes
  std::vector<double> widths_;
  std::vector<double> middle_;
  std::vector<std::vector<size_t>> lanes_;  // by node: cells
  std::vector<std::vector<size_t>> ranks_;  // cells from left to right
};

}  // namespace

GraphLayout lay_out(const std::vector<LayoutNode>& nodes, const std::vector<LayoutEdge>& edges) {
  return CellGrid(nodes, edges).place();
}

}  // namespace xsp::bound
