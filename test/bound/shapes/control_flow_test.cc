#include "test/bound/shapes/small_graph.h"

namespace xsp::bound {
namespace {

Graph body_graph(std::vector<DeclaredValue> inputs, std::vector<Node> nodes, const std::vector<std::string>& outputs) {
  Graph graph;
  graph.inputs = std::move(inputs);
  graph.nodes = std::move(nodes);
  for (const std::string& name : outputs) graph.outputs.push_back(declared_value(name, {}));
  return graph;
}

/// A body that hands its condition on, changes its state with `nodes` ("state" to "next") and collects "next".
Graph loop_body(std::vector<Node> nodes) {
  nodes.push_back(make_node("Identity", {"going"}, {"goes_on"}));
  nodes.push_back(make_node("Identity", {"next"}, {"collected"}));
  return body_graph({declared_value("turn", {}, ElementType::kI64), declared_value("going", {}, ElementType::kBool),
                     declared_value("state", {})},
                    std::move(nodes), {"goes_on", "next", "collected"});
}

SmallGraph with_branches(const Node& yes, const Node& no) {
  SmallGraph graph;
  graph.input("x", {2, 3}).input("data", {}, ElementType::kBool);
  graph.node("If", {"data"}, {"y"},
             {graph_attribute("then_branch", body_graph({}, {yes}, {"out"})),
              graph_attribute("else_branch", body_graph({}, {no}, {"out"}))});
  return graph;
}

}  // namespace

TEST_CASE("If on data has a shape where its branches agree") {
  CHECK(with_branches(make_node("Relu", {"x"}, {"out"}), make_node("Neg", {"x"}, {"out"})).text("y") == "f32[2,3]");
  const ValueFacts facts =
      with_branches(make_node("Relu", {"x"}, {"out"}), make_node("Transpose", {"x"}, {"out"})).facts("y");
  CHECK_FALSE(facts.has_shape);
  CHECK(facts.element == ElementType::kF32);
  CHECK(facts.why == "node the_If (If): its branches give different shapes");
}

TEST_CASE("If on a constant takes one branch, and errors of the other do not count") {
  SmallGraph graph = with_branches(make_node("Transpose", {"x"}, {"out"}),
                                   make_node("Squeeze", {"x"}, {"out"}, {list_attribute("axes", {0})}));
  graph.integers("yes", {}, {1}, ElementType::kBool);
  graph.model.graph.nodes[0].inputs = {"yes"};
  CHECK(graph.text("y") == "f32[3,2]");
  graph.model.graph.nodes[0].inputs = {"data"};
  CHECK_FALSE(graph.facts("y").has_shape);
}

TEST_CASE("Loop keeps shapes that its body keeps, and collects as often as it turns") {
  SmallGraph graph;
  graph.input("x", {2, 3}).integers("five", {}, {5}).integers("yes", {}, {1}, ElementType::kBool);
  graph.input("n", {}, ElementType::kI64);
  const Attribute body = graph_attribute("body", loop_body({make_node("Relu", {"state"}, {"next"})}));
  graph.node("Loop", {"five", "yes", "x"}, {"last", "all"}, {body})
      .node("Loop", {"n", "", "x"}, {"last_n", "all_n"}, {body});
  CHECK(graph.text("last") == "f32[2,3]");
  CHECK(graph.text("all") == "f32[5,2,3]");
  CHECK(graph.text("last_n") == "f32[2,3]");
  CHECK_FALSE(graph.facts("all_n").has_shape);
  CHECK(graph.facts("all_n").why == "node the_Loop (Loop): how often it runs depends on data");
  CHECK_FALSE(graph.facts("last").is_constant);
}

TEST_CASE("Loop does not know a shape that grows, nor values that change") {
  SmallGraph graph;
  graph.input("x", {2, 3}).integers("five", {}, {5}).list("list", {7});
  graph.node(
      "Loop", {"five", "", "x"}, {"grown"},
      {graph_attribute(
          "body", loop_body({make_node("Concat", {"state", "state"}, {"next"}, {integer_attribute("axis", 0)})}))});
  graph.node("Loop", {"five", "", "list"}, {"sum"},
             {graph_attribute("body", loop_body({make_node("Add", {"state", "list"}, {"next"})}))});
  CHECK_FALSE(graph.facts("grown").has_shape);
  CHECK(graph.text("sum") == "i64[1]");
  CHECK_FALSE(graph.facts("sum").integers);
}

TEST_CASE("Scan takes slices and stacks results") {
  SmallGraph graph;
  graph.input("state", {4}).input("x", {5, 4});
  Graph body =
      body_graph({declared_value("s", {}), declared_value("e", {})},
                 {make_node("Add", {"s", "e"}, {"sum"}), make_node("Identity", {"sum"}, {"out"})}, {"sum", "out"});
  graph.node("Scan", {"state", "x"}, {"last", "all"},
             {graph_attribute("body", body), integer_attribute("num_scan_inputs", 1)});
  CHECK(graph.text("last") == "f32[4]");
  CHECK(graph.text("all") == "f32[5,4]");
}

TEST_CASE("loops nested in loops end in time, also where it is weights that each turn would set again") {
  Graph inner = loop_body({make_node("Concat", {"state", "state"}, {"next"}, {integer_attribute("axis", 0)})});
  for (int i = 0; i < 20'000; ++i) {
    ConstantTensor weight;
    weight.name = "weight" + std::to_string(i);
    weight.element = ElementType::kF32;
    inner.initializers.push_back(std::move(weight));
  }
  // The shape of a state changes a turn after the one before it: each loop turns eight times.
  constexpr size_t kStates = 7;
  for (int depth = 0; depth < 12; ++depth) {
    Graph outer;
    outer.inputs = {declared_value("turn", {}, ElementType::kI64), declared_value("going", {}, ElementType::kBool)};
    outer.outputs = {declared_value("going", {})};
    for (size_t i = 0; i < kStates; ++i) {
      const std::string state = "state" + std::to_string(i);
      const std::string before = i == 0 ? state : "state" + std::to_string(i - 1);
      outer.inputs.push_back(declared_value(state, {}));
      outer.outputs.push_back(declared_value("next" + std::to_string(i), {}));
      const std::string next = "next" + std::to_string(i);
      outer.nodes.push_back(i == 0 ? make_node("Concat", {state, state}, {next}, {integer_attribute("axis", 0)})
                                   : make_node("Add", {state, before}, {next}));
    }
    const size_t states = depth == 0 ? 1 : kStates;
    std::vector<std::string> inputs = {"five", ""};
    std::vector<std::string> outputs;
    for (size_t i = 0; i < states; ++i) {
      inputs.emplace_back("x");
      outputs.push_back("inner" + std::to_string(i));
    }
    outer.nodes.push_back(make_node("Loop", inputs, outputs, {graph_attribute("body", std::move(inner))}));
    inner = std::move(outer);
  }
  SmallGraph graph;
  graph.input("x", {2}).integers("five", {}, {5});
  std::vector<std::string> inputs = {"five", ""};
  inputs.resize(2 + kStates, "x");
  graph.node("Loop", inputs, {"y"}, {graph_attribute("body", std::move(inner))});
  CHECK_FALSE(graph.facts("y").has_shape);
}

TEST_CASE("loops nested in loops end in time") {
  Graph inner = loop_body({make_node("Concat", {"state", "state"}, {"next"}, {integer_attribute("axis", 0)})});
  for (int depth = 0; depth < 40; ++depth)
    inner =
        loop_body({make_node("Loop", {"turn", "", "state"}, {"next"}, {graph_attribute("body", std::move(inner))})});
  SmallGraph graph;
  graph.input("x", {2}).integers("five", {}, {5});
  graph.node("Loop", {"five", "", "x"}, {"y"}, {graph_attribute("body", std::move(inner))});
  CHECK_FALSE(graph.facts("y").has_shape);
}

}  // namespace xsp::bound
