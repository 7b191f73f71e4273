#include "analysis/concurrency/node_join.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/concurrency/operation_graph.h"
#include "test/analysis/support/noise.h"
#include "test/catch.h"

namespace xsp::test {
namespace {

using analysis::kNoLayerOfNode;
using analysis::NamedLayer;
using analysis::NodeGraph;
using analysis::NodeJoin;
using analysis::OperationGraph;

/// Nodes that write a value of their own name with ":0" behind it.
class GraphBuilder {
 public:
  GraphBuilder& add(const std::string& name, const std::string& type, const std::vector<std::string>& inputs) {
    analysis::GraphNode node;
    node.name = name;
    node.type = type;
    node.outputs = {name + ":0"};
    for (const std::string& input : inputs) {
      node.inputs.push_back(input + ":0");
      for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
        if (graph.nodes[i].name == input) node.after.push_back(i);
      }
    }
    graph.nodes.push_back(std::move(node));
    return *this;
  }

  NodeGraph graph;
};

std::vector<NamedLayer> nodes_named(const std::vector<std::string>& names, const char* type = "Conv") {
  std::vector<NamedLayer> layers;
  for (const std::string& name : names) layers.push_back({name, type, true, false});
  return layers;
}

using LayerPairs = std::set<std::pair<uint32_t, uint32_t>>;

/// Pairs of layers without a path between them, the smaller one first.
LayerPairs independent_layers(const NodeGraph& graph, const std::vector<NamedLayer>& layers) {
  const OperationGraph contracted = contract(graph, join_nodes(graph, layers));
  std::vector<std::vector<uint32_t>> after;
  std::vector<uint32_t> asked;
  for (uint32_t i = 0; i < contracted.vertices.size(); ++i) {
    after.push_back(contracted.vertices[i].after);
    if (contracted.vertices[i].layer != kNoLayerOfNode) asked.push_back(i);
  }
  LayerPairs pairs;
  const analysis::Independence independence(after, asked);
  REQUIRE(independence.known() == asked.size());
  for (size_t i = 0; i < asked.size(); ++i) {
    independence.each_behind(i, [&](size_t other) {
      pairs.insert(std::minmax(contracted.vertices[asked[i]].layer, contracted.vertices[asked[other]].layer));
      return true;
    });
  }
  return pairs;
}

TEST_CASE("Layers join the nodes of their names, and those that optimized names stand for") {
  GraphBuilder model;
  model.add("a", "Conv", {"x"}).add("b", "Relu", {"a"}).add("c", "MatMul", {"b"}).add("d", "Gelu", {"c"});
  const std::vector<std::string> names = {"a", "b:0_nchwc", "c/MatMulAddFusion", "d_token_7", "e"};
  const NodeJoin join = join_nodes(model.graph, nodes_named(names));
  CHECK(join.layer_of == std::vector<uint32_t>{0, 1, 2, 3});
  CHECK(join.is_joined == std::vector<bool>{true, true, true, true, false});
}

TEST_CASE("A name of several layers or of several nodes joins nothing") {
  GraphBuilder model;
  model.add("a", "Conv", {"x"}).add("b", "Conv", {"x"}).add("b", "Conv", {"a"});
  CHECK(join_nodes(model.graph, nodes_named({"a", "a", "b"})).layer_of == std::vector<uint32_t>(3, kNoLayerOfNode));
}

TEST_CASE("A module joins all its nodes, and each of its calls as many") {
  GraphBuilder model;
  model.add("/block/block.0/fc/MatMul", "MatMul", {"x"})
      .add("/block/block.0/fc/Add", "Add", {"/block/block.0/fc/MatMul"})
      .add("/relu/Relu", "Relu", {"/block/block.0/fc/Add"})
      .add("/relu/Relu_1", "Relu", {"x"})
      .add("/odd/A", "A", {"x"})
      .add("/odd/B", "B", {"x"})
      .add("/odd/C", "C", {"x"});
  std::vector<NamedLayer> layers;
  for (const char* name : {"block.0.fc", "relu", "relu", "odd", "odd"}) layers.push_back({name, "M", false, true});
  const NodeJoin join = join_nodes(model.graph, layers);
  const uint32_t none = kNoLayerOfNode;
  CHECK(join.layer_of == std::vector<uint32_t>{0, 0, 1, 2, none, none, none});
}

TEST_CASE("What nodes without a layer hand on is kept") {
  GraphBuilder model;
  model.add("a", "Conv", {"x"}).add("gone", "Reshape", {"a"}).add("b", "Conv", {"gone"}).add("c", "Conv", {"x"});
  CHECK(independent_layers(model.graph, nodes_named({"a", "b", "c"})) == LayerPairs{{0, 2}, {1, 2}});
}

TEST_CASE("An addition that became a part of the last convolution waits for the other one, too") {
  GraphBuilder model;
  model.add("start", "Conv", {"x"})
      .add("shortcut", "Conv", {"start"})
      .add("long1", "Conv", {"start"})
      .add("long2", "Conv", {"long1"})
      .add("add", "Add", {"long2", "shortcut"})
      .add("end", "Conv", {"add"});
  const std::vector<std::string> names = {"start", "shortcut", "long1", "long2", "end"};
  CHECK(independent_layers(model.graph, nodes_named(names)) == LayerPairs{{1, 2}});
  // A program's own module computes nothing but itself.
  std::vector<NamedLayer> modules = nodes_named(names);
  for (NamedLayer& module : modules) module.is_node = false;
  CHECK(independent_layers(model.graph, modules) == LayerPairs{{1, 2}, {1, 3}});
}

TEST_CASE("Slices that became one split, and what was computed twice, have those that read them wait") {
  GraphBuilder model;
  model.add("qkv", "MatMul", {"x"})
      .add("q", "Gather", {"qkv", "zero"})
      .add("k", "Gather", {"qkv", "one"})
      .add("product", "MatMul", {"k"});
  CHECK(independent_layers(model.graph, nodes_named({"qkv", "q/GatherSliceToSplitFusion", "product"})).empty());

  GraphBuilder shapes;
  shapes.add("a", "Conv", {"x"})
      .add("shape", "Shape", {"a"})
      .add("shape_1", "Shape", {"a"})
      .add("b", "Gather", {"shape_1", "one"})
      .add("c", "Conv", {"a"});
  const std::vector<std::string> names = {"a", "shape", "b", "c"};
  CHECK(independent_layers(shapes.graph, nodes_named(names)) == LayerPairs{{1, 3}, {2, 3}});
}

TEST_CASE("Layers whose nodes lie between each other's stand one behind the other") {
  GraphBuilder model;
  model.add("/m/A", "A", {"x"})
      .add("/n/B", "B", {"/m/A"})
      .add("/m/C", "C", {"/n/B"})
      .add("/p/D", "D", {"/m/C"})
      .add("/q/E", "E", {"x"});
  std::vector<NamedLayer> layers;
  for (const char* name : {"m", "n", "p", "q"}) layers.push_back({name, "M", false, true});
  const OperationGraph contracted = contract(model.graph, join_nodes(model.graph, layers));
  REQUIRE(contracted.vertices.size() == 4);
  std::vector<uint32_t> order;
  for (const auto& vertex : contracted.vertices) {
    if (vertex.layer != 3) order.push_back(vertex.layer);
  }
  CHECK(order == std::vector<uint32_t>{0, 1, 2});
  CHECK(independent_layers(model.graph, layers) == LayerPairs{{0, 3}, {1, 3}, {2, 3}});
}

TEST_CASE("Two layers are independent where the graph has no path between their nodes") {
  analysis::Noise noise(3);
  for (int round = 0; round < 50; ++round) {
    constexpr uint32_t kNodes = 150;
    GraphBuilder model;
    std::vector<std::vector<bool>> reaches(kNodes, std::vector<bool>(kNodes));
    std::vector<NamedLayer> layers;
    std::vector<uint32_t> node_of;
    for (uint32_t i = 0; i < kNodes; ++i) {
      analysis::GraphNode& node = model.graph.nodes.emplace_back();
      node.name = "n" + std::to_string(i);
      for (uint32_t before = 0; before < i; ++before) {
        if (!noise.happens(2.0 / kNodes)) continue;
        node.after.push_back(before);
        reaches[i][before] = true;
        for (uint32_t k = 0; k < before; ++k) reaches[i][k] = reaches[i][k] || reaches[before][k];
      }
      if (noise.happens(0.7)) node_of.push_back(i);
    }
    for (const uint32_t i : node_of) layers.push_back({model.graph.nodes[i].name, "T", false, false});
    LayerPairs expected;
    for (uint32_t b = 0; b < node_of.size(); ++b) {
      for (uint32_t a = 0; a < b; ++a) {
        if (!reaches[node_of[b]][node_of[a]]) expected.emplace(a, b);
      }
    }
    CHECK(independent_layers(model.graph, layers) == expected);
  }
}

}  // namespace
}  // namespace xsp::test
