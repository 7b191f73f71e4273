#include "bound/onnx/node_order.h"

#include <algorithm>
#include <chrono>

#include "test/bound/onnx/small_models.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using test::models::graph_attribute;
using test::models::lines_of;
using test::models::model_of;
using test::models::node_of;
using Lines = std::vector<std::string>;

Lines ordered(std::vector<Node> nodes) {
  Model model = model_of({"x"}, std::move(nodes));
  const Status status = order_nodes(&model.graph);
  return status.ok() ? lines_of(model.graph) : Lines{status.error};
}

TEST_CASE("Nodes in order stay as they are, though another order is possible") {
  const Lines lines = ordered({node_of("Neg", {"x"}, {"b"}), node_of("Exp", {"b"}, {"c"}), node_of("Abs", {"x"}, {"a"}),
                               node_of("Add", {"a", "c"}, {"z"})});
  CHECK(lines == Lines{"b=Neg(x)", "c=Exp(b)", "a=Abs(x)", "z=Add(a,c)"});
}

TEST_CASE("Nodes out of order move no more than they must") {
  const Lines lines = ordered({node_of("Add", {"a", "c"}, {"z"}), node_of("Neg", {"x"}, {"b"}),
                               node_of("Exp", {"b"}, {"c"}), node_of("Abs", {"x"}, {"a"})});
  CHECK(lines == Lines{"b=Neg(x)", "c=Exp(b)", "a=Abs(x)", "z=Add(a,c)"});
}

TEST_CASE("What a graph inside a node reads from outside counts as the node's input") {
  Node inner = node_of("If", {"x"}, {"k"});
  inner.attributes.push_back(graph_attribute("then_branch", {node_of("Neg", {"a"}, {"n"})}, {"n"}));
  Node outer = node_of("If", {"x"}, {"z"});
  outer.attributes.push_back(graph_attribute("then_branch", {inner}, {"k"}));
  // A branch may also give a value of the graph around it as its result.
  outer.attributes.push_back(graph_attribute("else_branch", {}, {"b"}));
  const Lines lines = ordered({outer, node_of("Abs", {"x"}, {"a"}), node_of("Exp", {"a"}, {"b"})});
  CHECK(lines == Lines{"a=Abs(x)", "b=Exp(a)", "z=If(x)"});
}

TEST_CASE("Graphs inside nodes are put in order, too") {
  Model model = model_of({"x"}, {node_of("If", {"x"}, {"z"})});
  model.graph.nodes[0].attributes.push_back(
      graph_attribute("then_branch", {node_of("Neg", {"p"}, {"q"}), node_of("Abs", {"x"}, {"p"})}, {"q"}));
  REQUIRE(order_nodes(&model.graph).ok());
  CHECK(lines_of(model.graph.nodes[0].attributes[0].graphs[0]) == Lines{"p=Abs(x)", "q=Neg(p)"});
}

TEST_CASE("A cycle is an error that names a node of it, not one behind it") {
  CHECK(ordered({node_of("Neg", {"c"}, {"d"}, "behind"), node_of("Add", {"x", "c"}, {"b"}, "first"),
                 node_of("Exp", {"b"}, {"c"}, "second")}) ==
        Lines{"a cycle: node second (Exp) reads what is computed from its own output"});
  CHECK(ordered({node_of("Neg", {"y"}, {"y"})}) ==
        Lines{"a cycle: the Neg node of y reads what is computed from its own output"});
  Node captures = node_of("If", {"x"}, {"z"}, "cond");
  captures.attributes.push_back(graph_attribute("then_branch", {node_of("Neg", {"z"}, {"n"})}, {"n"}));
  CHECK(ordered({captures}) == Lines{"a cycle: node cond (If) reads what is computed from its own output"});
}

TEST_CASE("A value that is written twice is an error that names it and the second writer") {
  CHECK(ordered({node_of("Neg", {"x"}, {"a"}, "n1"), node_of("Exp", {"x"}, {"a"}, "n2")}) ==
        Lines{"value a is written twice, the second time by node n2 (Exp)"});
  CHECK(ordered({node_of("Neg", {"x"}, {"x"}, "n1")}) ==
        Lines{"value x is written twice, the second time by node n1 (Neg)"});
  CHECK(ordered({node_of("Neg", {"x"}, {"", ""}), node_of("Exp", {"x"}, {"", ""})}).size() == 2);
}

TEST_CASE("A value that nothing writes is an error, inside a graph of a node it is not") {
  CHECK(ordered({node_of("Add", {"x", "gone"}, {"a"}, "n1")}) ==
        Lines{"node n1 (Add) reads gone, which nothing writes"});
  CHECK(ordered({node_of("Clip", {"x", "", "x"}, {"a"})}) == Lines{"a=Clip(x,,x)"});
  Node branch = node_of("If", {"x"}, {"z"});
  branch.attributes.push_back(graph_attribute("then_branch", {node_of("Neg", {"gone"}, {"n"})}, {"n"}));
  CHECK(ordered({branch}) == Lines{"z=If(x)"});
}

TEST_CASE("Ten thousand nodes are read and put in order at once") {
  std::vector<Node> nodes;
  for (int i = 10'000; i > 0; --i) {
    nodes.push_back(node_of("Relu", {i == 1 ? "x" : "v" + std::to_string(i - 1)}, {"v" + std::to_string(i)}));
  }
  const std::string bytes = write_model(model_of({"x"}, std::move(nodes)));
  const auto begin = std::chrono::steady_clock::now();
  Model model;
  REQUIRE(parse_model(bytes, &model).ok());
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  CHECK(model.graph.nodes.front().outputs.front() == "v1");
  CHECK(model.graph.nodes.back().outputs.front() == "v10000");
  CHECK(time.count() < 1);
}

}  // namespace
}  // namespace xsp::bound
