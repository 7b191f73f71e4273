#include "test/bound/onnx/small_models.h"
#include "test/catch.h"

namespace xsp::bound {
namespace {

using test::models::model_of;
using test::models::node_of;
using test::models::reread;
using Kind = Attribute::Kind;

TEST_CASE("A written model is read as it was") {
  Model model = model_of({"x"}, {node_of("Conv", {"x", "w", ""}, {"y", ""}, "conv\xff\n")});
  model.producer = "test";
  Node& node = model.graph.nodes[0];
  node.domain = "com.microsoft";
  node.attributes = {{.name = "f", .kind = Kind::kNumber, .number = 0.5},
                     {.name = "i", .kind = Kind::kInteger, .integer = INT64_MIN},
                     {.name = "s", .kind = Kind::kText, .text = std::string("a\0b", 3)},
                     {.name = "fs", .kind = Kind::kNumbers, .numbers = {1, -2.5}},
                     {.name = "is", .kind = Kind::kIntegers, .integers = {3, -4}},
                     {.name = "none", .kind = Kind::kIntegers},
                     {.name = "ss", .kind = Kind::kTexts, .texts = {"", "b"}}};
  node.attributes.push_back({.name = "t", .kind = Kind::kTensor});
  node.attributes.back().tensors = {{.name = "",
                                     .element = ElementType::kF16,
                                     .dimensions = {2},
                                     .has_values = true,
                                     .integers = {},
                                     .numbers = {1.5, -0.25}}};
  node.attributes.push_back(test::models::graph_attribute("g", {node_of("Neg", {"x"}, {"n"})}, {"n"}));
  model.graph.initializers = {{.name = "w",
                               .element = ElementType::kI4,
                               .dimensions = {3},
                               .has_values = true,
                               .integers = {-8, 7, -1},
                               .numbers = {}}};
  model.graph.outputs = {{.name = "y", .element = ElementType::kBf16, .has_rank = true}};
  model.graph.outputs[0].dimensions = {
      {.size = -1, .name = "batch"}, {.size = -1, .name = {}}, {.size = 0, .name = {}}};
  model.graph.outputs.push_back({.name = "scalar", .element = ElementType::kI64, .has_rank = true});
  model.graph.outputs.push_back({.name = "any", .element = ElementType::kI64});
  model.graph.outputs.push_back({.name = "list", .is_tensor = false});

  Model read;
  REQUIRE(reread(model, &read).ok());
  CHECK(read.ir_version == 10);
  CHECK(read.producer == "test");
  CHECK(read.opsets == model.opsets);
  CHECK(read.graph.name == "g");
  REQUIRE(read.graph.nodes.size() == 1);
  const Node& same = read.graph.nodes[0];
  CHECK(same.name == "conv\xff\n");
  CHECK(same.type == "Conv");
  CHECK(same.domain == "com.microsoft");
  CHECK(same.inputs == node.inputs);
  CHECK(same.outputs == node.outputs);
  CHECK(same.number("f", 0) == 0.5);
  CHECK(same.integer("i", 0) == INT64_MIN);
  CHECK(same.text("s", "") == std::string("a\0b", 3));
  CHECK(same.attribute("fs")->numbers == std::vector<double>{1, -2.5});
  CHECK(same.integers("is") == std::vector<int64_t>{3, -4});
  CHECK(same.attribute("none")->kind == Kind::kIntegers);
  CHECK(same.attribute("ss")->texts == std::vector<std::string>{"", "b"});
  CHECK(same.attribute("t")->tensors[0].numbers == std::vector<double>{1.5, -0.25});
  CHECK(test::models::lines_of(same.attribute("g")->graphs[0]) == std::vector<std::string>{"n=Neg(x)"});
  REQUIRE(read.graph.initializers.size() == 1);
  CHECK(read.graph.initializers[0].integers == std::vector<int64_t>{-8, 7, -1});
  REQUIRE(read.graph.outputs.size() == 4);
  const DeclaredValue& output = read.graph.outputs[0];
  CHECK(output.element == ElementType::kBf16);
  REQUIRE(output.dimensions.size() == 3);
  CHECK(output.dimensions[0].name == "batch");
  CHECK(output.dimensions[0].size == -1);
  CHECK(output.dimensions[1].size == -1);
  CHECK(output.dimensions[2].size == 0);
  CHECK(read.graph.outputs[1].has_rank);
  CHECK_FALSE(read.graph.outputs[2].has_rank);
  CHECK_FALSE(read.graph.outputs[3].is_tensor);
  CHECK(write_model(read) == write_model(model));
}

TEST_CASE("Attributes are only given out as what they are") {
  Node node = node_of("Conv", {"x"}, {"y"});
  node.attributes = {{.name = "axis", .kind = Kind::kInteger, .integer = 3}};
  CHECK(node.integer("axis", -1) == 3);
  CHECK(node.integer("other", -1) == -1);
  CHECK(node.number("axis", 0.5) == 0.5);
  CHECK(node.text("axis", "otherwise") == "otherwise");
  CHECK(node.integers("axis").empty());
  CHECK(node.attribute("other") == nullptr);
}

TEST_CASE("Both names of ONNX's own domain are one") {
  Model model = model_of({"x"}, {node_of("Relu", {"x"}, {"y"})});
  model.graph.nodes[0].domain = "ai.onnx";
  model.opsets = {{"ai.onnx", 17}, {"ai.onnx.ml", 3}};
  Model read;
  REQUIRE(reread(model, &read).ok());
  CHECK(read.graph.nodes[0].domain.empty());
  CHECK(read.opset("") == 17);
  CHECK(read.opset("ai.onnx") == 17);
  CHECK(read.opset("ai.onnx.ml") == 3);
  CHECK(read.opset("com.microsoft") == 0);
}

}  // namespace
}  // namespace xsp::bound
