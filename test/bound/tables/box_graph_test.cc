#include "bound/tables/box_graph.h"

#include <map>
#include <random>
#include <set>

#include "bound/tables/box_label.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

LayeredModel typed_graph(const std::vector<std::pair<std::string, std::vector<size_t>>>& layers) {
  LayeredModel model;
  for (const auto& [type, producers] : layers) {
    model.layers.push_back(layer_after("l" + std::to_string(model.layers.size()), producers));
    model.layers.back().type = type;
  }
  return model;
}

BoxGraph folded(const LayeredModel& model) {
  return fold_layers(make_bounds(model, std::vector<LayerTime>(model.layers.size(), time_of_ms(0.5))));
}

/// Ranks grow along edges, each shown layer is in one box, and nothing is larger than it may be.
void check_boxes(const LayeredModel& model, const BoxGraph& graph) {
  CHECK(graph.boxes.size() <= BoxGraph::kMostBoxes);
  CHECK(graph.edges.size() <= BoxGraph::kMostEdges);
  std::set<size_t> layers;
  std::map<size_t, size_t> boxes_in_rank;
  for (const Box& box : graph.boxes) {
    layers.insert(box.layers.begin(), box.layers.end());
    CHECK(++boxes_in_rank[box.rank] <= BoxGraph::kMostBoxesInRank);
    CHECK(box.rank < graph.ranks);
  }
  CHECK(layers.size() + graph.layers_left_out == model.layers.size());
  CHECK(boxes_in_rank.size() == graph.ranks);
  size_t steps_back = 0;
  for (const BoxEdge& edge : graph.edges)
    steps_back += graph.boxes[edge.from].rank >= graph.boxes[edge.to].rank ? 1 : 0;
  CHECK(steps_back == 0);
}

}  // namespace

TEST_CASE("layers without a branch share a box, which a convolution begins") {
  const LayeredModel model = typed_graph({{"Conv", {}},
                                          {"BatchNormalization", {0}},
                                          {"Relu", {1}},
                                          {"Conv", {2}},
                                          {"Relu", {3}},
                                          {"Conv", {2}},
                                          {"Add", {4, 5}},
                                          {"Relu", {6}}});
  const BoxGraph graph = folded(model);
  check_boxes(model, graph);
  REQUIRE(graph.boxes.size() == 4);
  CHECK(graph.boxes[0].layers == std::vector<size_t>{0, 1, 2});
  CHECK(graph.boxes[0].bound_ms == 1.5);
  CHECK(graph.boxes[1].layers == std::vector<size_t>{3, 4});
  CHECK(graph.boxes[2].layers == std::vector<size_t>{5});
  CHECK(graph.boxes[3].layers == std::vector<size_t>{6, 7});
  CHECK(graph.boxes[3].rank == 2);
  // The longest path takes the branch of two layers.
  CHECK(graph.boxes[1].on_path);
  CHECK_FALSE(graph.boxes[2].on_path);
  REQUIRE(graph.edges.size() == 4);
  CHECK(graph.edges[0].on_path);
  CHECK_FALSE(graph.edges[1].on_path);

  CHECK(box_types(graph.boxes[0], model, 40) == "Conv, BatchNorm, Relu");
  CHECK(box_types(graph.boxes[0], model, 9) == "Conv, …");
  CHECK(box_time(graph.boxes[0], 40) == "0–2: 1.500 ms");
  CHECK(box_time(graph.boxes[0], 8) == "1.500 ms");
  CHECK(box_time(graph.boxes[2], 40) == "5: 0.5000 ms");
  CHECK(box_title(graph.boxes[0], model, 200) == "3 layers: Conv, BatchNormalization, Relu, 1.500 ms (l0 to l2)");
}

TEST_CASE("constants and shape arithmetic are left out, layers without work between others are not") {
  LayeredModel model = typed_graph(
      {{"Conv", {}}, {"Shape", {0}}, {"Gather", {1}}, {"Constant", {}}, {"Reshape", {0, 2}}, {"Clip", {4, 3}}});
  std::vector<LayerTime> times(6);
  for (const size_t layer : {1, 2, 3, 4}) {
    times[layer].bound_ms = 0;
    model.layers[layer].layer_class = LayerClass::kZero;
  }
  times[0] = time_of_ms(1);
  times[5].counts = true;
  const BoxGraph graph = fold_layers(make_bounds(model, times));
  check_boxes(model, graph);
  CHECK(graph.layers_left_out == 3);
  REQUIRE(graph.boxes.size() == 1);
  CHECK(graph.boxes[0].layers == std::vector<size_t>{0, 4, 5});
  CHECK(graph.boxes[0].missing == 1);
  CHECK(box_time(graph.boxes[0], 40) == "3 layers: ≥ 1.000 ms");
}

TEST_CASE("a model of constants alone is drawn as it is") {
  LayeredModel model = typed_graph({{"Constant", {}}, {"Identity", {0}}});
  std::vector<LayerTime> times(2);
  times[0].bound_ms = times[1].bound_ms = 0;
  const BoxGraph graph = fold_layers(make_bounds(model, times));
  CHECK(graph.layers_left_out == 0);
  REQUIRE(graph.boxes.size() == 1);
  CHECK(box_time(graph.boxes[0], 40) == "0–1: no work");
}

TEST_CASE("a rank with too many boxes keeps the dearest and those of the path") {
  LayeredModel model = graph_of({{}});
  std::vector<LayerTime> times = {time_of_ms(1)};
  for (size_t layer = 1; layer <= 5000; ++layer) {
    model.layers.push_back(layer_after("branch", {0}));
    times.push_back(time_of_ms(layer == 777 ? 9 : 1 + static_cast<double>(layer) / 10000));
  }
  const BoxGraph graph = fold_layers(make_bounds(model, times));
  check_boxes(model, graph);
  CHECK(graph.boxes.size() == 1 + BoxGraph::kMostBoxesInRank);
  size_t on_path = 0, rests = 0;
  for (const Box& box : graph.boxes) {
    on_path += box.on_path ? 1 : 0;
    rests += box.is_rest ? 1 : 0;
    if (box.is_rest) CHECK(box.layers.size() == 5000 - (BoxGraph::kMostBoxesInRank - 1));
    if (box.on_path && box.rank == 1) CHECK(box.layers == std::vector<size_t>{777});
  }
  CHECK(on_path == 2);
  CHECK(rests == 1);
}

TEST_CASE("graphs of any form become few enough boxes") {
  std::mt19937 random(4);
  for (const size_t reach : {2, 3, 40, 3000}) {
    std::vector<std::vector<size_t>> producers(3000);
    for (size_t layer = 1; layer < producers.size(); ++layer) {
      std::set<size_t> before;
      for (int i = 0; i < 3; ++i) before.insert(layer - 1 - random() % std::min(layer, reach));
      producers[layer].assign(before.begin(), before.end());
    }
    const LayeredModel model = graph_of(producers);
    check_boxes(model, folded(model));
  }
}

TEST_CASE("a long chain of convolutions becomes boxes of several each") {
  std::vector<std::vector<size_t>> producers(1000);
  for (size_t layer = 1; layer < producers.size(); ++layer) producers[layer] = {layer - 1};
  const LayeredModel model = graph_of(producers);
  const BoxGraph graph = folded(model);
  check_boxes(model, graph);
  CHECK(graph.boxes.size() == 125);
  CHECK(graph.boxes[0].layers.size() == 8);
}
