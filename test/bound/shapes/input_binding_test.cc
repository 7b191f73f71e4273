#include "test/bound/shapes/small_graph.h"

namespace xsp::bound {
namespace {

SmallGraph with_inputs(std::vector<DeclaredValue> inputs) {
  SmallGraph graph;
  graph.model.graph.inputs = std::move(inputs);
  return graph;
}

int exit_code_of(const SmallGraph& graph, const ShapeBindings& bindings) {
  InferredShapes inferred;
  return graph.infer(&inferred, bindings).exit_code;
}

}  // namespace

TEST_CASE("an open first dimension is one, with a note for each name") {
  const SmallGraph graph = with_inputs({declared_value("ids", {{-1, "batch"}, {128, ""}}, ElementType::kI64),
                                        declared_value("mask", {{-1, "batch"}, {128, ""}}, ElementType::kI64),
                                        declared_value("x", {{-1, ""}, {3, ""}})});
  InferredShapes inferred;
  REQUIRE(graph.infer(&inferred).ok());
  CHECK(inferred.values.at("ids").text() == "i64[1,128]");
  CHECK(inferred.values.at("mask").text() == "i64[1,128]");
  CHECK(inferred.values.at("x").text() == "f32[1,3]");
  CHECK(inferred.notes == std::vector<std::string>{"first dimension of input ids (batch) taken as 1",
                                                   "first dimension of input x taken as 1"});
}

TEST_CASE("--batch is the first dimension of each input where it is open, and its name everywhere") {
  const SmallGraph graph =
      with_inputs({declared_value("x", {{-1, "n"}, {4, ""}}), declared_value("fixed", {{2, ""}, {-1, "n"}}),
                   declared_value("y", {{-1, ""}})});
  ShapeBindings bindings;
  bindings.batch = 8;
  InferredShapes inferred;
  REQUIRE(graph.infer(&inferred, bindings).ok());
  CHECK(inferred.values.at("x").text() == "f32[8,4]");
  CHECK(inferred.values.at("fixed").text() == "f32[2,8]");
  CHECK(inferred.values.at("y").text() == "f32[8]");
  CHECK(inferred.notes.empty());
}

TEST_CASE("--batch that would change nothing is an error") {
  const SmallGraph graph = with_inputs({declared_value("x", {{2, ""}})});
  ShapeBindings bindings;
  bindings.batch = 8;
  InferredShapes inferred;
  const Status status = graph.infer(&inferred, bindings);
  CHECK(status.exit_code == 2);
  CHECK(status.error == "--batch 8 would change nothing: no input has an open first dimension");
}

TEST_CASE("an open dimension that is not the first ends with exit code 2 and names the option") {
  const SmallGraph graph = with_inputs({declared_value("x", {{-1, "batch"}, {3, ""}, {-1, "height"}})});
  InferredShapes inferred;
  const Status status = graph.infer(&inferred);
  CHECK(status.exit_code == 2);
  CHECK(status.error == "dimension 2 (\"height\") of input \"x\" is open");
  CHECK(status.hint == "give it a size, for example --shape x=1,3,128; a name has one size in all inputs");
}

TEST_CASE("an input without a rank needs --shape") {
  DeclaredValue value = declared_value("x", {});
  value.has_rank = false;
  const SmallGraph graph = with_inputs({value});
  InferredShapes inferred;
  const Status status = graph.infer(&inferred);
  CHECK(status.exit_code == 2);
  CHECK(status.error.find("\"x\"") != std::string::npos);
  CHECK(status.hint.find("--shape x=") != std::string::npos);
  CHECK(graph.facts("x", {.batch = {}, .input_shapes = {{"x", {2, 3}}}}).text() == "f32[2,3]");
}

TEST_CASE("a scalar input needs no option") { CHECK(with_inputs({declared_value("x", {})}).text("x") == "f32[]"); }

TEST_CASE("--shape of one input binds a name in all others") {
  const SmallGraph graph = with_inputs(
      {declared_value("x", {{-1, "batch"}, {-1, "length"}}), declared_value("y", {{-1, "length"}, {-1, "batch"}})});
  const ShapeBindings bindings = {.batch = {}, .input_shapes = {{"x", {2, 7}}}};
  InferredShapes inferred;
  REQUIRE(graph.infer(&inferred, bindings).ok());
  CHECK(inferred.values.at("y").text() == "f32[7,2]");
  CHECK(inferred.notes.empty());
}

TEST_CASE("--shape that cannot be is exit code 2") {
  const SmallGraph graph = with_inputs({declared_value("x", {{-1, "n"}, {3, ""}}), declared_value("y", {{-1, "n"}})});
  CHECK(exit_code_of(graph, {.batch = {}, .input_shapes = {{"z", {2}}}}) == 2);
  CHECK(exit_code_of(graph, {.batch = {}, .input_shapes = {{"x", {2}}}}) == 2);
  CHECK(exit_code_of(graph, {.batch = {}, .input_shapes = {{"x", {2, 4}}}}) == 2);
  CHECK(exit_code_of(graph, {.batch = {}, .input_shapes = {{"x", {-2, 3}}}}) == 2);
  CHECK(exit_code_of(graph, {.batch = {}, .input_shapes = {{"x", {2, 3}}, {"y", {5}}}}) == 2);
  CHECK(exit_code_of(graph, {.batch = {}, .input_shapes = {{"x", {2, 3}}, {"y", {2}}}}) == 0);
}

TEST_CASE("open dimensions take the sizes that a trace had, with a note, and names take them everywhere") {
  const SmallGraph graph = with_inputs({declared_value("ids", {{-1, "batch"}, {-1, "length"}}, ElementType::kI64),
                                        declared_value("mask", {{-1, "batch"}, {-1, ""}}, ElementType::kI64),
                                        declared_value("past", {{12, ""}, {-1, "length"}, {-1, "batch"}})});
  InferredShapes inferred;
  REQUIRE(graph.infer(&inferred, {.traced_shapes = {{4, 77}, {4, 80}}}).ok());
  CHECK(inferred.values.at("ids").text() == "i64[4,77]");
  CHECK(inferred.values.at("mask").text() == "i64[4,80]");
  CHECK(inferred.values.at("past").text() == "f32[12,77,4]");
  CHECK(inferred.notes ==
        std::vector<std::string>{"open dimensions of input ids taken from the trace, which ran it as [4,77]",
                                 "open dimensions of input mask taken from the trace, which ran it as [4,80]"});
}

TEST_CASE("--batch and --shape count before the shapes of a trace") {
  const SmallGraph graph = with_inputs({declared_value("x", {{-1, "n"}, {-1, "height"}, {-1, "width"}}),
                                        declared_value("y", {{2, ""}, {-1, "n"}, {-1, "width"}})});
  InferredShapes inferred;
  REQUIRE(graph
              .infer(&inferred,
                     {.batch = 3, .input_shapes = {{"y", {2, 3, 9}}}, .traced_shapes = {{8, 50, 60}, {2, 8, 60}}})
              .ok());
  CHECK(inferred.values.at("x").text() == "f32[3,50,9]");
  CHECK(inferred.values.at("y").text() == "f32[2,3,9]");
  CHECK(inferred.notes ==
        std::vector<std::string>{"open dimensions of input x taken from the trace, which ran it as [8,50,60]"});
}

TEST_CASE("a traced shape of another rank, with another fixed dimension or none to give is not taken") {
  const SmallGraph graph = with_inputs({declared_value("x", {{-1, ""}, {3, ""}}), declared_value("y", {{-1, ""}}),
                                        declared_value("z", {{5, ""}}), declared_value("v", {{-1, ""}})});
  InferredShapes inferred;
  REQUIRE(graph.infer(&inferred, {.traced_shapes = {{8, 4}, {8, 8}, {6}, {0}, {1, 1}}}).ok());
  CHECK(inferred.values.at("x").text() == "f32[1,3]");
  CHECK(inferred.values.at("y").text() == "f32[1]");
  CHECK(inferred.values.at("z").text() == "f32[5]");
  CHECK(inferred.values.at("v").text() == "f32[1]");
  CHECK(inferred.notes.size() == 3);
}

TEST_CASE("a trace gives an input without a rank its shape") {
  DeclaredValue value = declared_value("x", {});
  value.has_rank = false;
  const SmallGraph graph = with_inputs({value});
  CHECK(graph.facts("x", {.traced_shapes = {{2, 3}}}).text() == "f32[2,3]");
  InferredShapes inferred;
  CHECK(graph.infer(&inferred, {.traced_shapes = {{}}}).exit_code == 2);
  CHECK(graph.facts("x", {.input_shapes = {{"x", {7}}}, .traced_shapes = {{2, 3}}}).text() == "f32[7]");
  // --batch takes part in it, as nobody says otherwise that the first dimension is one.
  CHECK(graph.infer(&inferred, {.batch = 8, .traced_shapes = {{2, 3}}}).exit_code == 2);
}

TEST_CASE("an input that has a weight of its name is the weight") {
  SmallGraph graph = with_inputs({declared_value("x", {{1, ""}}), declared_value("w", {{-1, "?"}, {-1, "?"}})});
  graph.weight("w", {4, 5});
  const ValueFacts facts = graph.facts("w");
  CHECK(facts.text() == "f32[4,5]");
  CHECK(facts.is_constant);
  CHECK_FALSE(graph.facts("x").is_constant);
}

TEST_CASE("an input that is no tensor is unknown, which is no error") {
  DeclaredValue value = declared_value("s", {});
  value.is_tensor = false;
  const ValueFacts facts = with_inputs({value}).facts("s");
  CHECK_FALSE(facts.has_shape);
  CHECK(facts.why == "input \"s\" is no tensor");
}

TEST_CASE("an input of 2^53 elements is no input") {
  const SmallGraph graph = with_inputs({declared_value("x", {{int64_t{1} << 40, ""}, {int64_t{1} << 40, ""}})});
  CHECK(exit_code_of(graph, {}) == 3);
}

}  // namespace xsp::bound
