#include "bound/tables/box_graph.h"
#include "bound/tables/box_label.h"
#include "bound/tables/measured_bars.h"
#include "bound/tables/path_drawing.h"
#include "test/bound/bounds/layer_graph.h"
#include "test/catch.h"

using namespace xsp::bound;
using namespace xsp::bound::test;

namespace {

/// 0 → 1, 0 → 2 → 3, (1, 3) → 4 → 5: a group of 1, 4 and 5 lies around 2 and 3.
struct FusedBlock {
  LayeredModel model = graph_of({{}, {0}, {0}, {2}, {1, 3}, {4}});
  JoinedTrace trace;

  FusedBlock() {
    model.layers[4].type = "Add";
    model.layers[5].type = "Relu";
    trace.layers.resize(2);
    trace.layers[0].layers = {0};
    trace.layers[0].measured_ms = 2;
    trace.layers[1].layers = {1, 4, 5};
    trace.layers[1].measured_ms = 9;
    trace.trace_layer_of = {0, 1, kNoLayer, kNoLayer, 1, 1};
  }

  Bounds bounds(bool with_trace) const {
    FusedGroup group;
    group.pattern = "Conv+Add+Relu";
    group.layers = {1, 4, 5};
    std::vector<LayerTime> times(6, time_of_ms(1));
    times[1] = time_of_ms(8);
    return make_bounds(model, times, {{group}, {time_of_ms(8.5)}, with_trace ? &trace : nullptr});
  }
};

}  // namespace

TEST_CASE("a group is one box, below all that it reads") {
  const FusedBlock block;
  const BoxGraph graph = fold_layers(block.bounds(false));
  REQUIRE(graph.boxes.size() == 4);
  CHECK(graph.boxes[3].layers == std::vector<size_t>{1, 4, 5});
  CHECK(graph.boxes[3].bound_ms == 8.5);
  CHECK(graph.boxes[3].rank == 3);
  REQUIRE(graph.edges.size() == 4);
  for (const BoxEdge& edge : graph.edges) CHECK(graph.boxes[edge.from].rank < graph.boxes[edge.to].rank);
}

TEST_CASE("boxes show bound and measurement side by side") {
  const FusedBlock block;
  const Bounds bounds = block.bounds(true);
  const BoxGraph graph = fold_layers(bounds);
  const Box& group = graph.boxes.back();
  CHECK(box_time(graph.boxes[0], 40) == "0: 1.000 | 2.000 ms");
  CHECK(box_title(graph.boxes[0], block.model, 200) == "Conv, 1.000 ms, 2.000 measured (l0)");
  CHECK_THAT(path_svg(bounds), Catch::Contains("measured"));
  CHECK(path_svg(block.bounds(false)).find("measured") == std::string::npos);
  CHECK(group.on_path);
}

TEST_CASE("a group has a frame in the graph for Graphviz") {
  const FusedBlock block;
  const std::string dot = path_dot(block.bounds(false));
  CHECK_THAT(dot, Catch::Contains("subgraph cluster_0 { label=\"Conv+Add+Relu\\n8.500 ms\";"));
  CHECK_THAT(dot, Catch::Contains(" n1; n4; n5; }"));
  CHECK_THAT(path_dot(block.bounds(true)), Catch::Contains("8.500 ms\\n9.000 ms measured"));
}

TEST_CASE("bars compare what was measured with both bounds, and are left out where there is nothing to compare") {
  const FusedBlock block;
  const std::string bars = bars_svg(block.bounds(true));
  CHECK_THAT(bars, Catch::Contains("bound layer by layer"));
  CHECK_THAT(bars, Catch::Contains("bound, fused"));
  CHECK_THAT(bars, Catch::Contains("measured"));
  CHECK(bars_svg(block.bounds(false)).find("measured") == std::string::npos);
  CHECK(bars_svg(make_bounds(block.model, std::vector<LayerTime>(6, time_of_ms(1)))).empty());
}
