#include "analysis/concurrency/node_graph.h"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "analysis/concurrency/onnx_nodes.h"
#include "test/analysis/concurrency/onnx_bytes.h"
#include "test/catch.h"
#include "test/contains.h"

namespace xsp::test {
namespace {

using analysis::NodeGraph;
using analysis::parse_node_graph;
using Indices = std::vector<uint32_t>;

NodeGraph graph_of(const std::string& bytes) {
  NodeGraph graph;
  const Status status = parse_node_graph(bytes, &graph);
  INFO(status.error);
  REQUIRE(status.ok());
  return graph;
}

std::string fault_of(const std::string& bytes) {
  NodeGraph graph;
  graph.nodes.emplace_back();
  const Status status = parse_node_graph(bytes, &graph);
  CHECK(graph.nodes.empty());
  CHECK_FALSE((!status.ok() && status.hint.empty()));
  return status.error;
}

/// `depth` graphs within one another; the innermost one reads `value`.
std::string nested(size_t depth, const std::string& value) {
  std::string graph = onnx_graph({{"leaf", "Relu", {value}, {"leaf_out"}, {}}}, {}, {"leaf_out"});
  for (size_t i = 0; i < depth; ++i) {
    graph = onnx_graph({{"if" + std::to_string(i), "If", {}, {"out" + std::to_string(i)}, {graph}}});
  }
  return graph;
}

TEST_CASE("A node waits for those whose values it reads, each once, and not for inputs and weights") {
  const NodeGraph graph = graph_of(onnx_model(onnx_graph({{"a", "Conv", {"x", "w"}, {"a1", "a2"}, {}},
                                                          {"b", "Relu", {"a1"}, {"b1"}, {}},
                                                          {"c", "Add", {"b1", "a1", "b1", "a2", ""}, {"c1"}, {}}},
                                                         {"x"}, {"c1"}, {"w"})));
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[0].name == "a");
  CHECK(graph.nodes[0].type == "Conv");
  CHECK(graph.nodes[0].outputs == std::vector<std::string>{"a1", "a2"});
  CHECK(graph.nodes[0].after.empty());
  CHECK(graph.nodes[1].after == Indices{0});
  CHECK(graph.nodes[2].after == Indices{0, 1});
}

TEST_CASE("What a subgraph takes from outside its node waits for, also from further outside") {
  const std::string inner = onnx_graph(
      {{"i", "Add", {"a1", "own"}, {"i1"}, {}}, {"j", "Mul", {"i1", "given"}, {"j1"}, {}}}, {"given"}, {"j1"}, {"own"});
  const std::string outer = onnx_graph({{"k", "If", {"b1"}, {"k1"}, {inner}}}, {}, {"c1"});
  const NodeGraph graph = graph_of(onnx_model(onnx_graph({{"a", "Relu", {"x"}, {"a1"}, {}},
                                                          {"b", "Relu", {"x"}, {"b1"}, {}},
                                                          {"c", "Relu", {"x"}, {"c1"}, {}},
                                                          {"d", "Relu", {"x"}, {"given"}, {}},
                                                          {"loop", "Loop", {"x"}, {"l1"}, {outer}}})));
  REQUIRE(graph.nodes.size() == 5);
  // "given" is an input of the subgraph: the value outside that has the same name is another one.
  CHECK(graph.nodes[4].after == Indices{0, 1, 2});
}

TEST_CASE("A call of a function is a node like any other") {
  const std::string function = onnx_field(25, onnx_field(1, "Block") + onnx_node({"in", "Relu", {"p"}, {"q"}, {}}));
  const NodeGraph graph = graph_of(
      onnx_model(onnx_graph({{"a", "Relu", {"x"}, {"a1"}, {}}, {"call", "Block", {"a1"}, {"c1"}, {}}})) + function);
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[1].after == Indices{0});
}

TEST_CASE("Nodes that stand before what they read are moved behind it") {
  const NodeGraph graph = graph_of(onnx_model(onnx_graph({{"last", "Relu", {"m1"}, {"l1"}, {}},
                                                          {"middle", "Relu", {"f1"}, {"m1"}, {}},
                                                          {"first", "Relu", {"x"}, {"f1"}, {}},
                                                          {"apart", "Relu", {"x"}, {"p1"}, {}}})));
  REQUIRE(graph.nodes.size() == 4);
  std::vector<std::string> names;
  for (const auto& node : graph.nodes) names.push_back(node.name);
  CHECK(names == std::vector<std::string>{"first", "middle", "last", "apart"});
  CHECK(graph.nodes[1].after == Indices{0});
  CHECK(graph.nodes[2].after == Indices{1});
}

TEST_CASE("Cycles and values that are written twice are errors that name a node") {
  const std::string cycle = fault_of(onnx_model(onnx_graph(
      {{"behind", "Relu", {"b1"}, {"z1"}, {}}, {"a", "Relu", {"b1"}, {"a1"}, {}}, {"b", "Relu", {"a1"}, {"b1"}, {}}})));
  CHECK((cycle == "a cycle: node \"a\" (Relu) reads what is computed from its own output" ||
         cycle == "a cycle: node \"b\" (Relu) reads what is computed from its own output"));
  CHECK(fault_of(onnx_model(onnx_graph({{"", "Relu", {"s"}, {"s"}, {}}}))) ==
        "a cycle: node \"s\" (Relu) reads what is computed from its own output");
  CHECK(fault_of(onnx_model(onnx_graph({{"a", "Relu", {}, {"v"}, {}}, {"b", "Relu", {}, {"v"}, {}}}))) ==
        "value \"v\" is written twice, the second time by node \"b\" (Relu)");
}

TEST_CASE("What is no model, or is damaged, is an error") {
  const std::string bytes = onnx_model(onnx_graph(
      {{"a", "Conv", {"x"}, {"a1"}, {}}, {"b", "If", {"a1"}, {"b1"}, {nested(2, "a1")}}}, {"x"}, {"b1"}, {"w"}));
  CHECK(fault_of("") == "no ONNX model: it has no graph");
  CHECK(fault_of("no model at all") == "no ONNX model");
  CHECK(fault_of(onnx_field(7, "")).empty());
  CHECK(fault_of(varint_bytes(1 << 3) + varint_bytes(8)) == "no ONNX model: it has no graph");
  for (size_t size = 3; size < bytes.size(); ++size) CHECK_FALSE(fault_of(bytes.substr(0, size)).empty());
  // A length of 2^32 + 1 is not one of 1.
  CHECK_FALSE(fault_of(varint_bytes(1 << 3) + varint_bytes(8) + varint_bytes(7 << 3 | 2) +
                       varint_bytes((uint64_t{1} << 32) + 1) + "x")
                  .empty());
}

TEST_CASE("Graphs may be nested 64 deep, not deeper") {
  const NodeGraph graph = graph_of(onnx_model(onnx_graph(
      {{"a", "Relu", {"x"}, {"a1"}, {}}, {"b", "If", {}, {"b1"}, {nested(analysis::kMostGraphNesting - 1, "a1")}}})));
  CHECK(graph.nodes[1].after == Indices{0});
  CHECK(fault_of(onnx_model(onnx_graph({{"b", "If", {}, {"b1"}, {nested(analysis::kMostGraphNesting, "a1")}}}))) ==
        "graphs are nested more than 64 deep");
}

TEST_CASE("More nodes than any model has are refused before they take memory") {
  std::string graph;
  const std::string empty_node("\x0a\x00", 2);
  for (size_t i = 0; i <= analysis::kMostGraphNodes; ++i) graph += empty_node;
  CHECK(fault_of(onnx_model(graph)) == "more than 1000000 nodes");
}

TEST_CASE("A file that is not there, a directory and an empty file are errors that name them") {
  NodeGraph graph;
  CHECK(contains(analysis::read_node_graph("/nonexistent/m.onnx", &graph).error, "/nonexistent/m.onnx"));
  CHECK(analysis::read_node_graph("/", &graph).error == "/ is a directory");
  CHECK(analysis::read_node_graph("/dev/null", &graph).error == "/dev/null is no regular file");

  char path[] = "/tmp/xsp_node_graph_XXXXXX";
  const int fd = mkstemp(path);
  REQUIRE(fd >= 0);
  CHECK(analysis::read_node_graph(path, &graph).error == std::string(path) + " is empty");
  const std::string bytes = onnx_model(onnx_graph({{"a", "Relu", {"x"}, {"a1"}, {}}}));
  REQUIRE(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(fd);
  CHECK(analysis::read_node_graph(path, &graph).ok());
  CHECK(graph.nodes.size() == 1);
  REQUIRE(std::remove(path) == 0);
}

}  // namespace
}  // namespace xsp::test
