#include "bound/tables/box_merging.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace xsp::bound {
namespace {

std::vector<std::vector<size_t>> boxes_by_rank(const BoxGraph& graph) {
  size_t ranks = 0;
  for (const Box& box : graph.boxes) ranks = std::max(ranks, box.rank + 1);
  std::vector<std::vector<size_t>> by_rank(ranks);
  for (size_t box = 0; box < graph.boxes.size(); ++box) by_rank[graph.boxes[box].rank].push_back(box);
  return by_rank;
}

void take_over(const Box& box, Box* rest) {
  rest->layers.insert(rest->layers.end(), box.layers.begin(), box.layers.end());
  rest->bound_ms += box.bound_ms;
  if (box.measured_ms) rest->measured_ms = rest->measured_ms.value_or(0) + *box.measured_ms;
  rest->counted += box.counted;
  rest->missing += box.missing;
  rest->on_path = rest->on_path || box.on_path;
}

/// Makes each set of boxes one, in place of its first. Edges between members of a set vanish.
void merge_sets(const std::vector<std::vector<size_t>>& sets, BoxGraph* graph) {
  std::vector<size_t> kept_as(graph->boxes.size());
  std::iota(kept_as.begin(), kept_as.end(), size_t{0});
  for (const std::vector<size_t>& set : sets) {
    Box& rest = graph->boxes[set.front()];
    for (size_t member = 1; member < set.size(); ++member) {
      take_over(graph->boxes[set[member]], &rest);
      kept_as[set[member]] = set.front();
    }
    std::sort(rest.layers.begin(), rest.layers.end());
    rest.is_rest = true;
  }
  std::vector<size_t> place(graph->boxes.size());
  std::vector<Box> boxes;
  for (size_t box = 0; box < graph->boxes.size(); ++box) {
    if (kept_as[box] != box) continue;
    place[box] = boxes.size();
    boxes.push_back(std::move(graph->boxes[box]));
  }
  graph->boxes = std::move(boxes);
  for (BoxEdge& edge : graph->edges) {
    edge.from = place[kept_as[edge.from]];
    edge.to = place[kept_as[edge.to]];
  }
  std::erase_if(graph->edges, [](const BoxEdge& edge) { return edge.from == edge.to; });
  unite_equal_edges(&graph->edges);
}

}  // namespace

void unite_equal_edges(std::vector<BoxEdge>* edges) {
  std::sort(edges->begin(), edges->end(), [](const BoxEdge& a, const BoxEdge& b) {
    return std::tuple(a.from, a.to, !a.on_path) < std::tuple(b.from, b.to, !b.on_path);
  });
  const auto is_same = [](const BoxEdge& a, const BoxEdge& b) { return a.from == b.from && a.to == b.to; };
  edges->erase(std::unique(edges->begin(), edges->end(), is_same), edges->end());
}

void merge_crowded_ranks(BoxGraph* graph) {
  std::vector<std::vector<size_t>> sets;
  std::vector<std::vector<size_t>> by_rank = boxes_by_rank(*graph);
  const size_t most =
      by_rank.size() > BoxGraph::kManyRanks ? BoxGraph::kMostBoxesInRankOfMany : BoxGraph::kMostBoxesInRank;
  for (std::vector<size_t>& rank : by_rank) {
    if (rank.size() <= most) continue;
    const auto is_ahead = [&](size_t a, size_t b) {
      const Box& first = graph->boxes[a];
      const Box& second = graph->boxes[b];
      return std::tuple(!first.on_path, -first.bound_ms, a) < std::tuple(!second.on_path, -second.bound_ms, b);
    };
    const auto rest = rank.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::nth_element(rank.begin(), rest, rank.end(), is_ahead);
    std::sort(rest, rank.end());
    sets.emplace_back(rest, rank.end());
  }
  if (!sets.empty()) merge_sets(sets, graph);
}

void merge_middle_ranks(BoxGraph* graph) {
  if (graph->boxes.size() <= BoxGraph::kMostBoxes) return;
  const std::vector<std::vector<size_t>> by_rank = boxes_by_rank(*graph);
  // The begin of a model is looked at more often than its end.
  size_t room = BoxGraph::kMostBoxes - 1;
  size_t begin = 0;
  for (; begin < by_rank.size() && by_rank[begin].size() + BoxGraph::kMostBoxes / 3 <= room; ++begin) {
    room -= by_rank[begin].size();
  }
  size_t end = by_rank.size();
  for (; end > begin && by_rank[end - 1].size() <= room; --end) room -= by_rank[end - 1].size();
  std::vector<size_t> middle;
  for (size_t rank = begin; rank < end; ++rank) middle.insert(middle.end(), by_rank[rank].begin(), by_rank[rank].end());
  if (middle.size() < 2) return;
  for (Box& box : graph->boxes) {
    if (box.rank >= end) {
      box.rank -= end - begin - 1;
    } else if (box.rank > begin) {
      box.rank = begin;
    }
  }
  merge_sets({middle}, graph);
}

}  // namespace xsp::bound
