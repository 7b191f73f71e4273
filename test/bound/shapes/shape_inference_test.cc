#include "bound/shapes/shape_inference.h"

#include <chrono>
#include <limits>

#include "test/bound/shapes/small_graph.h"

namespace xsp::bound {

TEST_CASE("what lies behind an unknown operator is unknown, with the operator named") {
  SmallGraph graph;
  graph.input("x", {2, 3}).node("Foo", {"x"}, {"y"}).node("Relu", {"y"}, {"z"}).node("Relu", {"x"}, {"known"});
  graph.model.graph.nodes[0].domain = "com.acme";
  graph.model.graph.nodes[0].name = "n3";
  const ValueFacts facts = graph.facts("z");
  CHECK_FALSE(facts.has_shape);
  CHECK(facts.text().empty());
  CHECK(facts.why == "the operator com.acme.Foo of node n3 is unknown");
  CHECK(graph.text("known") == "f32[2,3]");
}

TEST_CASE("the domain ai.onnx is the empty one") {
  SmallGraph graph;
  graph.input("x", {2}).node("Relu", {"x"}, {"y"});
  graph.model.graph.nodes[0].domain = "ai.onnx";
  CHECK(graph.text("y") == "f32[2]");
}

TEST_CASE("element types survive where shapes do not") {
  SmallGraph graph;
  graph.input("x", {4}).node("NonZero", {"x"}, {"where"}).node("Transpose", {"where"}, {"y"});
  graph.node("Cast", {"y"}, {"z"}, {integer_attribute("to", static_cast<int64_t>(ElementType::kF16))});
  CHECK(graph.facts("y").element == ElementType::kI64);
  CHECK(graph.facts("z").element == ElementType::kF16);
  CHECK(graph.facts("z").why == "node the_NonZero (NonZero): the size of its output depends on data");
}

TEST_CASE("shapes that cannot be name the node and end with exit code 3") {
  SmallGraph graph;
  graph.input("a", {2, 3}).input("b", {4, 5}).node("MatMul", {"a", "b"}, {"y"});
  InferredShapes inferred;
  const Status status = graph.infer(&inferred);
  CHECK(status.exit_code == 3);
  CHECK(status.error == "node the_MatMul (MatMul): a product of [2,3] and [4,5]");
}

TEST_CASE("a contradiction in an operator of a framework only leaves its output unknown") {
  SmallGraph graph;
  graph.input("a", {2, 3}).input("b", {4, 5}).node("FusedMatMul", {"a", "b"}, {"y"});
  graph.model.graph.nodes[0].domain = "com.microsoft";
  CHECK(graph.facts("y").why.find("a product of [2,3] and [4,5]") != std::string::npos);
}

TEST_CASE("a value that nothing writes and an input that is left out are errors") {
  SmallGraph graph;
  graph.input("x", {2}).node("Add", {"x", "nobody"}, {"y"});
  CHECK(graph.error() == "node the_Add (Add) reads \"nobody\", which nothing writes");
  graph.model.graph.nodes[0].inputs = {"", "x"};
  CHECK(graph.error().find("left out") != std::string::npos);
}

TEST_CASE("an output of 2^53 elements is an error also behind a size of nothing") {
  SmallGraph graph;
  graph.integers("n", {2}, {int64_t{1} << 30, int64_t{1} << 30}).node("ConstantOfShape", {"n"}, {"y"});
  CHECK(graph.error().find("2^53 elements") != std::string::npos);
  graph.model.graph.initializers[0].dimensions = {3};
  graph.model.graph.initializers[0].integers = {0, int64_t{1} << 30, int64_t{1} << 30};
  CHECK(graph.error().find("2^53 elements") != std::string::npos);
}

TEST_CASE("a tensor never gets more than 64 dimensions") {
  SmallGraph graph;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < 70; ++i) axes.push_back(i);
  graph.input("x", {2}).list("axes", axes).node("Unsqueeze", {"x", "axes"}, {"y"});
  CHECK(graph.error().find("more than 64 dimensions") != std::string::npos);
}

TEST_CASE("what is computed from shapes and weights alone is a constant") {
  SmallGraph graph;
  graph.input("x", {2, 3}).weight("w", {3, 3});
  graph.node("Shape", {"x"}, {"shape"}).node("Transpose", {"w"}, {"turned"}).node("MatMul", {"x", "w"}, {"y"});
  graph.node("ConstantOfShape", {"shape"}, {"zeros"}).node("Add", {"zeros", "x"}, {"sum"});
  graph.node("RandomNormalLike", {"zeros"}, {"noise"});
  CHECK(graph.facts("shape").is_constant);
  CHECK(graph.facts("turned").is_constant);
  CHECK(graph.facts("zeros").is_constant);
  CHECK_FALSE(graph.facts("y").is_constant);
  CHECK_FALSE(graph.facts("sum").is_constant);
  CHECK_FALSE(graph.facts("noise").is_constant);
}

TEST_CASE("a chain of Shape, Gather, Concat and Reshape resolves") {
  SmallGraph graph;
  graph.input("x", {-1, 128, 768}).integers("zero", {}, {0}).list("heads", {-1, 12, 64}).list("axes", {0});
  graph.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "zero"}, {"batch"});
  graph.node("Unsqueeze", {"batch", "axes"}, {"row"});
  graph.node("Concat", {"row", "heads"}, {"target"}, {integer_attribute("axis", 0)});
  graph.node("Reshape", {"x", "target"}, {"y"});
  CHECK(graph.facts("y", {.batch = 4, .input_shapes = {}}).text() == "f32[4,128,12,64]");
}

TEST_CASE("optional outputs that are left out get no facts") {
  SmallGraph graph;
  graph.input("x", {2, 9}).list("k", {3}).node("TopK", {"x", "k"}, {"", "indices"});
  InferredShapes inferred;
  REQUIRE(graph.infer(&inferred).ok());
  CHECK(inferred.values.at("indices").text() == "i64[2,3]");
  CHECK(inferred.values.count("") == 0);
}

TEST_CASE("ten thousand nodes take a fraction of a second") {
  SmallGraph graph;
  graph.input("x0", {1, 64, 56, 56}).weight("w", {64, 64, 3, 3});
  for (int i = 0; i < 10000; i += 2) {
    const std::string from = "x" + std::to_string(i);
    const std::string middle = "x" + std::to_string(i + 1);
    graph.node("Conv", {from, "w"}, {middle}, {list_attribute("pads", {1, 1, 1, 1})});
    graph.node("Relu", {middle}, {"x" + std::to_string(i + 2)});
  }
  const auto begin = std::chrono::steady_clock::now();
  CHECK(graph.text("x10000") == "f32[1,64,56,56]");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));  // 0.02 s on a quiet core
}

}  // namespace xsp::bound
