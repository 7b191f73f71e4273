#include <limits>

#include "test/bound/shapes/small_graph.h"

namespace xsp::bound {
namespace {

/// The output of a node that reads x of a shape and lists.
std::string moved(const std::string& type, const Values& shape, const std::vector<Values>& lists,
                  std::vector<Attribute> attributes = {}, int64_t opset = 17) {
  SmallGraph graph(opset);
  graph.input("x", shape);
  std::vector<std::string> inputs = {"x"};
  for (size_t i = 0; i < lists.size(); ++i) {
    inputs.push_back("list" + std::to_string(i));
    graph.list(inputs.back(), lists[i]);
  }
  graph.node(type, inputs, {"y"}, std::move(attributes));
  InferredShapes inferred;
  const Status status = graph.infer(&inferred);
  return status.ok() ? inferred.values.at("y").text() : "error " + std::to_string(status.exit_code);
}

}  // namespace

TEST_CASE("Reshape takes -1 as the rest and 0 as it was") {
  CHECK(moved("Reshape", {2, 3, 4}, {{0, -1}}) == "f32[2,12]");
  CHECK(moved("Reshape", {2, 3, 4}, {{-1, 6}}) == "f32[4,6]");
  CHECK(moved("Reshape", {0, 3}, {{3, 0}}, {integer_attribute("allowzero", 1)}) == "f32[3,0]");
  CHECK(moved("Reshape", {2, 3, 4}, {{5, -1}}) == "error 3");
  CHECK(moved("Reshape", {2, 3, 4}, {{-1, -1}}) == "error 3");
  CHECK(moved("Reshape", {2, 3}, {{7}}) == "error 3");
  CHECK(moved("Reshape", {2, 3}, {{2, 3, 0}}) == "error 3");
  CHECK(moved("Reshape", {1, 4}, {}, {list_attribute("shape", {2, 2})}) == "f32[2,2]");
}

TEST_CASE("Squeeze and Unsqueeze read their axes from an attribute or an input") {
  CHECK(moved("Squeeze", {1, 3, 1}, {}) == "f32[3]");
  CHECK(moved("Squeeze", {1, 3, 1}, {{-1}}) == "f32[1,3]");
  CHECK(moved("Squeeze", {1, 3, 1}, {}, {list_attribute("axes", {0})}) == "f32[3,1]");
  CHECK(moved("Squeeze", {1, 3, 1}, {{1}}) == "error 3");
  CHECK(moved("Unsqueeze", {3, 2}, {{0, 2, 4}}) == "f32[1,3,1,2,1]");
  CHECK(moved("Unsqueeze", {3, 2}, {}, {list_attribute("axes", {-1})}) == "f32[3,2,1]");
  CHECK(moved("Unsqueeze", {3, 2}, {{0, 0}}) == "error 3");
}

TEST_CASE("Slice clamps and steps backwards") {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const int64_t least = std::numeric_limits<int64_t>::min();
  CHECK(moved("Slice", {5, 6}, {{1}, {most}}) == "f32[4,6]");
  CHECK(moved("Slice", {5, 6}, {{-3}, {-1}, {1}}) == "f32[5,2]");
  CHECK(moved("Slice", {5, 6}, {{-1}, {least}, {1}, {-1}}) == "f32[5,6]");
  CHECK(moved("Slice", {5, 6}, {{5}, {-100}, {1}, {-2}}) == "f32[5,3]");
  CHECK(moved("Slice", {5, 6}, {{2}, {2}, {0}}) == "f32[0,6]");
  CHECK(moved("Slice", {5, 6}, {{-100}, {100}, {1}, {most}}) == "f32[5,1]");
  CHECK(moved("Slice", {5, 6}, {{3}, {0}, {1}, {least}}) == "f32[5,1]");
  CHECK(moved("Slice", {5, 6}, {{0}, {1}, {1}, {0}}) == "error 3");
  CHECK(moved("Slice", {5, 6}, {{0}, {1}, {2}}) == "error 3");
  CHECK(moved("Slice", {5, 6, 7}, {},
              {list_attribute("starts", {1, -3}), list_attribute("ends", {9, -1}), list_attribute("axes", {0, 2})}) ==
        "f32[4,6,2]");
}

TEST_CASE("Split makes given, equal and, from opset 18 on, nearly equal parts") {
  const auto last = [](int64_t opset, const std::vector<Attribute>& attributes) {
    SmallGraph graph(opset);
    graph.input("x", {7, 4}).node("Split", {"x"}, {"a", "b", "c"}, attributes);
    InferredShapes inferred;
    return graph.infer(&inferred).ok() ? inferred.values.at("c").text() : "";
  };
  CHECK(last(18, {integer_attribute("num_outputs", 3)}) == "f32[1,4]");
  CHECK(last(13, {}).empty());
  CHECK(last(11, {list_attribute("split", {2, 3, 2})}) == "f32[2,4]");
  CHECK(last(11, {list_attribute("split", {2, 3, 3})}).empty());
}

TEST_CASE("Pad takes its axes, and may cut") {
  CHECK(moved("Pad", {3, 2}, {{1, -1, 2, 0}}) == "f32[6,1]");
  CHECK(moved("Pad", {3, 2}, {}, {list_attribute("pads", {0, 1, 0, 1})}, 10) == "f32[3,4]");
  CHECK(moved("Pad", {3, 2}, {{-4, 0, 0, 0}}) == "error 3");
  SmallGraph graph(18);
  graph.input("x", {3, 2}).list("pads", {1, 2}).list("axes", {-1}).node("Pad", {"x", "pads", "", "axes"}, {"y"});
  CHECK(graph.text("y") == "f32[3,5]");
}

TEST_CASE("Resize multiplies in single precision and keeps ratios") {
  SmallGraph graph(18);
  graph.input("x", {1, 2, 10, 12}).numbers("scales", {1, 1, 0.7f, 2.5}).list("sizes", {7, 5});
  graph.node("Resize", {"x", "", "scales"}, {"scaled"});
  const auto policy = [](const char* name) {
    return std::vector{list_attribute("axes", {2, 3}), text_attribute("keep_aspect_ratio_policy", name)};
  };
  graph.node("Resize", {"x", "", "", "sizes"}, {"stretched"}, policy("stretch"));
  graph.node("Resize", {"x", "", "", "sizes"}, {"inside"}, policy("not_larger"));
  graph.node("Resize", {"x", "", "", "sizes"}, {"around"}, policy("not_smaller"));
  CHECK(graph.text("scaled") == "f32[1,2,7,30]");  // 0.7f · 10 is below 7 in double precision
  CHECK(graph.text("stretched") == "f32[1,2,7,5]");
  CHECK(graph.text("inside") == "f32[1,2,4,5]");
  CHECK(graph.text("around") == "f32[1,2,7,8]");
}

TEST_CASE("Range, ConstantOfShape, OneHot, TopK and Expand need values") {
  SmallGraph graph;
  graph.input("n", {1}, ElementType::kI64).input("x", {2, 3});
  graph.integers("start", {}, {5}).integers("limit", {}, {-4}).integers("step", {}, {-2}).integers("ten", {}, {10});
  graph.numbers("values", {0, 1});
  graph.node("Range", {"start", "limit", "step"}, {"range"}).node("ConstantOfShape", {"n"}, {"zeros"});
  graph.node("OneHot", {"n", "ten", "values"}, {"hot"}).node("Expand", {"x", "n"}, {"expanded"});
  CHECK(graph.values("range") == Values{5, 3, 1, -1, -3});
  CHECK(graph.text("hot") == "f32[1,10]");
  CHECK(graph.facts("zeros").why == "node the_ConstantOfShape (ConstantOfShape): its shape depends on data");
  CHECK_FALSE(graph.facts("expanded").has_shape);
}

TEST_CASE("Gather, GatherND, Flatten, Tile and DepthToSpace") {
  SmallGraph graph;
  graph.input("x", {2, 4, 6, 8})
      .integers("row", {3, 1}, {0, 1, 0})
      .integers("one", {}, {1})
      .list("twice", {1, 2, 1, 3});
  graph.integers("pairs", {5, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  graph.node("Gather", {"x", "row"}, {"rows"}, {integer_attribute("axis", 1)}).node("Gather", {"x", "one"}, {"single"});
  graph.node("GatherND", {"x", "pairs"}, {"nd"}).node("Tile", {"x", "twice"}, {"tiled"});
  graph.node("Flatten", {"x"}, {"flat"}, {integer_attribute("axis", -1)});
  graph.node("DepthToSpace", {"x"}, {"space"}, {integer_attribute("blocksize", 2)});
  graph.node("SpaceToDepth", {"x"}, {"depth"}, {integer_attribute("blocksize", 2)});
  CHECK(graph.text("rows") == "f32[2,3,1,6,8]");
  CHECK(graph.text("single") == "f32[4,6,8]");
  CHECK(graph.text("nd") == "f32[5,6,8]");
  CHECK(graph.text("tiled") == "f32[2,8,6,24]");
  CHECK(graph.text("flat") == "f32[48,8]");
  CHECK(graph.text("space") == "f32[2,1,12,16]");
  CHECK(graph.text("depth") == "f32[2,16,3,4]");
}

}  // namespace xsp::bound
