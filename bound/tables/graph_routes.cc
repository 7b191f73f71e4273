#include "bound/tables/graph_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace xsp::bound {
namespace {

using Measures = DrawingMeasures;

constexpr double kWidestBox = 140;
constexpr double kNarrowestBox = 96;
/// A graph with so many ranks shall have room for more than one column.
constexpr size_t kManyRanks = 40;
constexpr double kWidestBoxOfMany = 118;
constexpr double kWidestRank = 900;
constexpr double kPathWeight = 40;

struct RoutePoint {
  size_t rank = 0;
  double x = 0;  // of the layout
};

/// The boxes of a crowded rank are narrower.
std::vector<LayoutNode> layout_nodes(const BoxGraph& graph) {
  std::vector<size_t> boxes_in_rank(graph.ranks);
  for (const Box& box : graph.boxes) ++boxes_in_rank[box.rank];
  std::vector<LayoutNode> nodes;
  const double widest = graph.ranks > kManyRanks && *std::max_element(boxes_in_rank.begin(), boxes_in_rank.end()) > 2
                            ? kWidestBoxOfMany
                            : kWidestBox;
  for (const Box& box : graph.boxes) {
    const double share = kWidestRank / static_cast<double>(boxes_in_rank[box.rank]) - 14;
    nodes.push_back({box.rank, std::clamp(share, kNarrowestBox, widest)});
  }
  return nodes;
}

class RouteWriter {
 public:
  RouteWriter(const BoxGraph& graph) : graph_(graph), nodes_(layout_nodes(graph)) {
    std::vector<LayoutEdge> edges;
    for (const BoxEdge& edge : graph.edges) edges.push_back({edge.from, edge.to, edge.on_path ? kPathWeight : 1});
    layout_ = lay_out(nodes_, edges);
    columns_ = columns_of(extents(), Measures::kGutter);
    column_of_.resize(graph.ranks);
    for (size_t column = 0; column < columns_.size(); ++column) {
      for (size_t rank = columns_[column].begin; rank < columns_[column].end; ++rank) column_of_[rank] = column;
    }
    note_ports();
    note_cuts();
  }

  GraphRoutes write() {
    const double channels = columns_.size() > 1 ? Measures::kChannels : 4;
    size_t most_ranks = 0;
    for (const DrawingColumn& column : columns_) most_ranks = std::max(most_ranks, column.end - column.begin);
    if (most_ranks > 0) {
      routes_.width = columns_.back().right;
      routes_.height = 2 * channels + Measures::kPitch * static_cast<double>(most_ranks - 1) + Measures::kBoxHeight;
    }
    for (size_t box = 0; box < graph_.boxes.size(); ++box) {
      const RoutePoint point = {graph_.boxes[box].rank, layout_.middle[box]};
      routes_.x.push_back(across(point));
      routes_.y.push_back(top_of(point.rank));
      routes_.widths.push_back(nodes_[box].width);
    }
    for (size_t box = 0; box < graph_.boxes.size(); ++box) write_lane(box);
    for (size_t edge = 0; edge < graph_.edges.size(); ++edge) write_end(edge);
    return std::move(routes_);
  }

 private:
  double across(const RoutePoint& point) const { return point.x + columns_[column_of_[point.rank]].shift; }
  double top_of(size_t rank) const {
    const double channels = columns_.size() > 1 ? Measures::kChannels : 4;
    return channels + Measures::kPitch * static_cast<double>(rank - columns_[column_of_[rank]].begin);
  }

  std::vector<RankExtent> extents() const {
    std::vector<RankExtent> extents(graph_.ranks, {1e9, -1e9, 0});
    const auto take_in = [&](size_t rank, double x, double width) {
      extents[rank].left = std::min(extents[rank].left, x - width / 2);
      extents[rank].right = std::max(extents[rank].right, x + width / 2);
    };
    for (size_t box = 0; box < nodes_.size(); ++box) {
      take_in(nodes_[box].rank, layout_.middle[box], nodes_[box].width + 4);
      for (size_t piece = 0; piece < layout_.lanes[box].size(); ++piece) {
        take_in(nodes_[box].rank + 1 + piece, layout_.lanes[box][piece], 8);
        ++extents[nodes_[box].rank + 1 + piece].links_above;
      }
    }
    for (const BoxEdge& edge : graph_.edges) ++extents[nodes_[edge.to].rank].links_above;
    return extents;
  }

  /// The end of the lane that an edge follows, else its box.
  RoutePoint last_point(const BoxEdge& edge) const {
    const size_t from = nodes_[edge.from].rank;
    const size_t between = nodes_[edge.to].rank - from - 1;
    const size_t pieces = std::min(between, layout_.lanes[edge.from].size());
    if (pieces == 0) return {from, layout_.middle[edge.from]};
    return {from + pieces, layout_.lanes[edge.from][pieces - 1]};
  }

  /// Edges end side by side, as they come, the longest path in the middle.
  void note_ports() {
    std::vector<std::vector<size_t>> edges_to(graph_.boxes.size());
    for (size_t edge = 0; edge < graph_.edges.size(); ++edge) edges_to[graph_.edges[edge].to].push_back(edge);
    ports_.resize(graph_.edges.size());
    for (size_t box = 0; box < graph_.boxes.size(); ++box) {
      std::vector<size_t>& edges = edges_to[box];
      std::stable_sort(edges.begin(), edges.end(), [&](size_t a, size_t b) {
        return last_point(graph_.edges[a]).x < last_point(graph_.edges[b]).x;
      });
      const auto path =
          std::find_if(edges.begin(), edges.end(), [&](size_t edge) { return graph_.edges[edge].on_path; });
      const double count = static_cast<double>(edges.size());
      const double in_middle = path == edges.end() ? (count - 1) / 2 : static_cast<double>(path - edges.begin());
      const double distance = std::min(16.0, (nodes_[box].width / 2 - 10) / std::max(1.0, count - 1));
      for (size_t place = 0; place < edges.size(); ++place) {
        ports_[edges[place]] = layout_.middle[box] + distance * (static_cast<double>(place) - in_middle);
      }
    }
  }

  /// What leaves a column takes channels of its own, the rightmost the innermost.
  void note_cuts() {
    channels_.resize(columns_.size());
    const auto note = [&](const RoutePoint& from, size_t to_rank) {
      if (from.rank + 1 == to_rank && column_of_[from.rank] != column_of_[to_rank]) {
        channels_[column_of_[from.rank]].emplace(from.x, 0);
      }
    };
    for (size_t box = 0; box < graph_.boxes.size(); ++box) {
      RoutePoint from = {nodes_[box].rank, layout_.middle[box]};
      for (const double x : layout_.lanes[box]) {
        note(from, from.rank + 1);
        from = {from.rank + 1, x};
      }
    }
    for (const BoxEdge& edge : graph_.edges) note(last_point(edge), nodes_[edge.to].rank);
    for (std::map<double, size_t>& of_column : channels_) {
      size_t channel = of_column.size();
      for (auto& [x, number] : of_column) number = --channel;
    }
  }

  /// From below a point to above another one in a lower rank.
  void connect(const RoutePoint& from, const RoutePoint& to, std::string* out) const {
    const double x1 = across(from), y1 = top_of(from.rank) + Measures::kBoxHeight;
    const double x2 = across(to), y2 = top_of(to.rank);
    auto text = std::back_inserter(*out);
    if (column_of_[from.rank] != column_of_[to.rank]) {
      const DrawingColumn& column = columns_[column_of_[from.rank]];
      const std::map<double, size_t>& channels = channels_[column_of_[from.rank]];
      const double spacing = std::min(6.0, 24.0 / static_cast<double>(channels.size()));
      const double out_by = 10 + spacing * static_cast<double>(channels.at(from.x));
      const double in_by = 10 + spacing * static_cast<double>(channels.size() - 1 - channels.at(from.x));
      fmt::format_to(text, "M{:.1f} {:.1f}V{:.1f}H{:.1f}V{:.1f}H{:.1f}V{:.1f}", x1, y1, y1 + out_by,
                     column.right + out_by, top_of(to.rank) - in_by, x2, y2);
    } else if (std::abs(x1 - x2) < 0.5) {
      fmt::format_to(text, "M{:.1f} {:.1f}V{:.1f}", x1, y1, y2);
    } else {
      const double middle = (y1 + y2) / 2;
      fmt::format_to(text, "M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x1, y1, x1, middle, x2, middle,
                     x2, y2);
    }
  }

  void write_lane(size_t box) {
    size_t on_path = 0;  // pieces that the longest path takes
    for (auto edge = edges_from(box); edge != graph_.edges.end() && edge->from == box; ++edge) {
      if (edge->on_path) on_path = graph_.boxes[edge->to].rank - graph_.boxes[box].rank - 1;
    }
    RoutePoint from = {nodes_[box].rank, layout_.middle[box]};
    for (size_t piece = 0; piece < layout_.lanes[box].size(); ++piece) {
      const RoutePoint to = {from.rank + 1, layout_.lanes[box][piece]};
      std::string* out = piece < on_path ? &routes_.path : &routes_.edges;
      connect(from, to, out);
      fmt::format_to(std::back_inserter(*out), "V{:.1f}", top_of(to.rank) + Measures::kBoxHeight);
      from = to;
    }
  }

  std::vector<BoxEdge>::const_iterator edges_from(size_t box) const {
    return std::lower_bound(graph_.edges.begin(), graph_.edges.end(), box,
                            [](const BoxEdge& edge, size_t from) { return edge.from < from; });
  }

  void write_end(size_t index) {
    const BoxEdge& edge = graph_.edges[index];
    const RoutePoint from = last_point(edge);
    const RoutePoint to = {nodes_[edge.to].rank, ports_[index]};
    if (from.rank + 1 < to.rank && column_of_[from.rank] != column_of_[to.rank]) {
      ++routes_.edges_left_out;
      return;
    }
    connect(from, to, edge.on_path ? &routes_.path : &routes_.edges);
    fmt::format_to(std::back_inserter(edge.on_path ? routes_.path_arrows : routes_.arrows), "M{:.1f} {:.1f}l-3-6h6Z",
                   across(to), top_of(to.rank));
  }

  const BoxGraph& graph_;
  std::vector<LayoutNode> nodes_;
  GraphLayout layout_;
  std::vector<DrawingColumn> columns_;
  std::vector<size_t> column_of_;                   // by rank
  std::vector<double> ports_;                       // by edge: where it ends, in the layout
  std::vector<std::map<double, size_t>> channels_;  // by column: of what leaves it, by its place
  GraphRoutes routes_;
};

}  // namespace

GraphRoutes routes_of(const BoxGraph& graph) { return RouteWriter(graph).write(); }

}  // namespace xsp::bound
