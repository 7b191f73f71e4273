#include "bound/tables/box_graph.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>

#include "bound/tables/box_merging.h"
#include "bound/tables/shown_mode.h"

namespace xsp::bound {
namespace {

constexpr size_t kNoBox = SIZE_MAX;
/// As many boxes are still taken in when each convolution or product has one of its own.
constexpr size_t kComfortableBoxes = 160;
/// How many of these a box may have, tried in turn.
constexpr std::array<size_t, 6> kAnchorsInBox = {1, 2, 4, 8, 16, SIZE_MAX};

/// Layers that begin a group: what follows them can be computed on their result.
constexpr std::array<std::string_view, 9> kAnchors = {"Conv", "ConvTranspose", "ConvInteger",   "QLinearConv", "MatMul",
                                                      "Gemm", "MatMulInteger", "QLinearMatMul", "Attention"};

std::string_view type_without_domain(std::string_view type) { return type.substr(type.rfind('.') + 1); }

bool is_anchor(const Layer& layer) {
  const std::string_view type = type_without_domain(layer.type);
  return std::find(kAnchors.begin(), kAnchors.end(), type) != kAnchors.end() || type.starts_with("Fused");
}

bool begins_from_nothing(const Layer& layer) {
  return layer.producers.empty() || layer.type == "Shape" || layer.type == "Size";
}

/// What a drawing shows of the layers.
class ShownLayers {
 public:
  explicit ShownLayers(const Bounds& bounds) : layers_(bounds.model->layers), shown_(layers_.size(), true) {
    const BoundMode& mode = shown_mode(bounds);
    std::vector<bool> on_path(layers_.size());
    for (const size_t layer : mode.parallel.path) on_path[layer] = true;
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      if (bounds.times[layer].counts || on_path[layer] || mode.group_of[layer] != kNoGroup) continue;
      shown_[layer] = !begins_from_nothing(layers_[layer]) && has_shown_producer(layer);
    }
    left_out_ = static_cast<size_t>(std::count(shown_.begin(), shown_.end(), false));
    if (left_out_ == shown_.size()) {
      shown_.assign(shown_.size(), true);
      left_out_ = 0;
    }
    make_steps(bounds, mode);
  }

  size_t left_out() const { return left_out_; }

  /// Layers and groups of them, each behind all that it reads.
  const std::vector<std::vector<size_t>>& steps() const { return steps_; }

  /// The step whose result goes nowhere else and that has no company; else kNoBox.
  size_t link_before(size_t step) const {
    const std::set<size_t>& read = read_[step];
    return read.size() == 1 && readers_[*read.begin()] == 1 ? *read.begin() : kNoBox;
  }

 private:
  bool has_shown_producer(size_t layer) const {
    const auto& producers = layers_[layer].producers;
    return std::any_of(producers.begin(), producers.end(), [&](size_t producer) { return shown_[producer]; });
  }

  /// A group is a step at its last layer.
  void make_steps(const Bounds& bounds, const BoundMode& mode) {
    std::vector<size_t> step_of(layers_.size(), kNoBox);
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      const size_t group = mode.group_of[layer];
      if (!shown_[layer] || (group != kNoGroup && bounds.groups[group].layers.back() != layer)) continue;
      steps_.push_back(group == kNoGroup ? std::vector<size_t>{layer} : bounds.groups[group].layers);
      for (const size_t member : steps_.back()) step_of[member] = steps_.size() - 1;
    }
    read_.resize(steps_.size());
    readers_.resize(steps_.size());
    for (size_t step = 0; step < steps_.size(); ++step) {
      for (const size_t layer : steps_[step]) {
        for (const size_t producer : layers_[layer].producers) {
          if (shown_[producer] && step_of[producer] < step) read_[step].insert(step_of[producer]);
        }
      }
      for (const size_t before : read_[step]) ++readers_[before];
    }
  }

  const std::vector<Layer>& layers_;
  std::vector<bool> shown_;
  std::vector<std::vector<size_t>> steps_;
  std::vector<std::set<size_t>> read_;  // by step
  std::vector<size_t> readers_;         // by step
  size_t left_out_ = 0;
};

struct Chains {
  std::vector<size_t> box_of;  // by layer
  size_t boxes = 0;
};

Chains chains_of(const std::vector<Layer>& layers, const ShownLayers& shown, size_t anchors_in_box) {
  Chains chains;
  chains.box_of.assign(layers.size(), kNoBox);
  const std::vector<std::vector<size_t>>& steps = shown.steps();
  std::vector<size_t> box_of_step(steps.size(), kNoBox);
  std::vector<size_t> anchors_in;  // by box
  for (size_t step = 0; step < steps.size(); ++step) {
    const size_t before = shown.link_before(step);
    size_t box = before == kNoBox ? kNoBox : box_of_step[before];
    const auto anchors =
        static_cast<size_t>(std::ranges::count_if(steps[step], [&](size_t layer) { return is_anchor(layers[layer]); }));
    if (box != kNoBox && anchors > 0 && (anchors_in_box == 1 || anchors_in[box] >= anchors_in_box)) box = kNoBox;
    if (box == kNoBox) {
      box = chains.boxes++;
      anchors_in.push_back(0);
    }
    anchors_in[box] += anchors;
    box_of_step[step] = box;
    for (const size_t layer : steps[step]) chains.box_of[layer] = box;
  }
  return chains;
}

Chains comfortable_chains(const std::vector<Layer>& layers, const ShownLayers& shown) {
  Chains chains;
  for (const size_t anchors : kAnchorsInBox) {
    chains = chains_of(layers, shown, anchors);
    if (chains.boxes <= kComfortableBoxes) break;
  }
  return chains;
}

void fill_boxes(const Bounds& bounds, const Chains& chains, BoxGraph* graph) {
  graph->boxes.resize(chains.boxes);
  const BoundMode& mode = shown_mode(bounds);
  const std::vector<std::optional<double>> measured = measured_shares(bounds);
  for (size_t layer = 0; layer < chains.box_of.size(); ++layer) {
    if (chains.box_of[layer] == kNoBox) continue;
    Box& box = graph->boxes[chains.box_of[layer]];
    const bool counts = bounds.times[layer].counts;
    box.layers.push_back(layer);
    box.bound_ms += mode.weights_ms[layer];
    box.counted += counts ? 1 : 0;
    box.missing += counts && !mode.shares[layer].bound_ms ? 1 : 0;
    if (!measured.empty() && measured[layer]) box.measured_ms = box.measured_ms.value_or(0) + *measured[layer];
  }
}

void fill_edges(const Bounds& bounds, const Chains& chains, BoxGraph* graph) {
  const auto add = [&](size_t from, size_t to, bool on_path) {
    const BoxEdge edge = {chains.box_of[from], chains.box_of[to], on_path};
    if (edge.from != kNoBox && edge.to != kNoBox && edge.from != edge.to) graph->edges.push_back(edge);
  };
  for (size_t layer = 0; layer < bounds.model->layers.size(); ++layer) {
    for (const size_t producer : bounds.model->layers[layer].producers) {
      // What leads to no work may read within a group that is drawn below it.
      if (chains.box_of[producer] < chains.box_of[layer]) add(producer, layer, false);
    }
  }
  const std::vector<size_t>& path = shown_mode(bounds).parallel.path;
  for (size_t step = 0; step < path.size(); ++step) {
    graph->boxes[chains.box_of[path[step]]].on_path = true;
    if (step > 0) add(path[step - 1], path[step], true);
  }
  unite_equal_edges(&graph->edges);
}

/// Ranks by the longest way from a box that reads nothing; such a box itself lies just above its first reader.
void fill_ranks(BoxGraph* graph) {
  constexpr size_t kUnread = SIZE_MAX;
  std::vector<size_t> first_reader(graph->boxes.size(), kUnread);
  std::vector<bool> reads(graph->boxes.size());
  for (const BoxEdge& edge : graph->edges) {
    Box& to = graph->boxes[edge.to];
    to.rank = std::max(to.rank, graph->boxes[edge.from].rank + 1);
    reads[edge.to] = true;
  }
  for (const BoxEdge& edge : graph->edges) {
    first_reader[edge.from] = std::min(first_reader[edge.from], graph->boxes[edge.to].rank);
  }
  for (size_t box = 0; box < graph->boxes.size(); ++box) {
    if (!reads[box] && first_reader[box] != kUnread) graph->boxes[box].rank = first_reader[box] - 1;
  }
}

/// Those of the path and then the shortest are kept.
void leave_out_edges(BoxGraph* graph) {
  if (graph->edges.size() <= BoxGraph::kMostEdges) return;
  const auto rank_by = [&](const BoxEdge& edge) {
    return std::tuple(!edge.on_path, graph->boxes[edge.to].rank - graph->boxes[edge.from].rank, edge.from, edge.to);
  };
  const auto end = graph->edges.begin() + BoxGraph::kMostEdges;
  std::nth_element(graph->edges.begin(), end, graph->edges.end(),
                   [&](const BoxEdge& a, const BoxEdge& b) { return rank_by(a) < rank_by(b); });
  graph->edges_left_out = graph->edges.size() - BoxGraph::kMostEdges;
  graph->edges.erase(end, graph->edges.end());
  unite_equal_edges(&graph->edges);
}

}  // namespace

BoxGraph fold_layers(const Bounds& bounds) {
  BoxGraph graph;
  const ShownLayers shown(bounds);
  graph.layers_left_out = shown.left_out();
  const Chains chains = comfortable_chains(bounds.model->layers, shown);
  fill_boxes(bounds, chains, &graph);
  fill_edges(bounds, chains, &graph);
  fill_ranks(&graph);
  merge_crowded_ranks(&graph);
  merge_middle_ranks(&graph);
  leave_out_edges(&graph);
  for (const Box& box : graph.boxes) graph.ranks = std::max(graph.ranks, box.rank + 1);
  return graph;
}

}  // namespace xsp::bound
